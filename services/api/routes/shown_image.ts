import { IMAGE_HEADERS } from "@posthaste/http";
import type { FastifyInstance } from "fastify";
import { LRUCache } from "lru-cache";
import { HttpError } from "../http_error.ts";

const CACHE_BYTES = 32 * 1024 ** 2;
const YEAR_S = 365 * 24 * 3600;

/** Any page may show it, and keep it: the address identifies the bytes. */
const HEADERS = {
  ...IMAGE_HEADERS,
  "cache-control": `public, max-age=${YEAR_S}, immutable`,
  "cross-origin-resource-policy": "cross-origin",
};

interface ShownImage {
  bytes: Uint8Array;
  contentType: string;
}

/**
 * `GET /assets/{sha256}`: an image that mails show by its URL. Mail clients send no token, so anybody may load
 * it who knows the hash of its bytes. Images that no version shows by a URL are not found.
 */
export function shownImageRoute(app: FastifyInstance): void {
  const shown = new LRUCache<string, ShownImage>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ bytes }) => bytes.length + 1,
  });
  app.get<{ Params: { sha256: string } }>(
    "/assets/:sha256",
    async ({ params: { sha256 }, store }, reply) => {
      const isHash = /^[a-f\d]{64}$/.test(sha256);
      const found = isHash ? shown.get(sha256) ?? await store.findShownAsset(sha256) : null;
      if (found === null || !found.contentType.startsWith("image/")) {
        throw new HttpError("unknown_route", "Cannot find the image: no mail shows it from here");
      }
      shown.set(sha256, found);
      const { bytes, contentType } = found;
      return reply.headers(HEADERS).type(contentType)
        .send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    },
  );
}
