import type { Endpoint } from "@posthaste/contracts";
import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { readJsonBody } from "./_json_body.ts";
import { jsonLimitsOf } from "./measure_json.ts";
import { HttpError } from "./http_error.ts";

/** An app's callbacks for bodies as they arrive. */
export interface BodyReading {
  /**
   * Counts a part of a body.
   * @throws {HttpError} If it exceeds the memory for bodies.
   */
  take(request: FastifyRequest, bytes: number): void;
  /** Receives a whole body, as it arrived. */
  see?(request: FastifyRequest, body: Buffer): void;
  /** Returns whether a route takes files: bodies of any other type, as their bytes. @default never */
  takesFiles?(request: FastifyRequest): boolean;
  /** Returns whether an empty body of JSON is none, because the route needs none. @default never */
  mayLackBody?(request: FastifyRequest): boolean;
}

/**
 * Returns which requests need no body, by their endpoints. Many clients say of each request that its body is JSON,
 * even if it has none.
 */
export function needingNoBody(
  endpoints: readonly Pick<Endpoint, "method" | "path" | "body" | "isBodyOptional">[],
): (request: FastifyRequest) => boolean {
  const patterns = endpoints
    .filter(({ body, isBodyOptional }) => body === undefined || isBodyOptional)
    .map(({ method, path }) => new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`));
  return ({ method, routeOptions: { url } }) =>
    patterns.some((pattern) => pattern.test(`${method} ${url}`));
}

/**
 * Makes an app accept only JSON bodies (docs/interface.md, section 4), and files where a route takes them. Each part counts from its arrival:
 * otherwise thousands of bodies that never end would fill the memory. The `bodyLimit` of the app or of the
 * route limits their size.
 */
export function readOnlyJson(
  app: FastifyInstance,
  { take, see, takesFiles, mayLackBody }: BodyReading,
): void {
  const read = async (request: FastifyRequest, payload: Readable) => {
    const limit = request.routeOptions.bodyLimit ?? Infinity;
    const { headers } = request;
    const count = (bytes: number) => take(request, bytes);
    const body = await readBytes(headers, { payload, limit, count });
    see?.(request, body);
    return { body, limit };
  };
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/json",
    async (request: FastifyRequest, payload: Readable) => {
      checkCoding(request);
      const { body, limit } = await read(request, payload);
      if (body.length === 0 && mayLackBody?.(request)) return undefined;
      return readJsonBody(body, jsonLimitsOf(limit));
    },
  );
  if (takesFiles === undefined) return;
  app.addContentTypeParser("*", async (request: FastifyRequest, payload: Readable) => {
    if (!takesFiles(request)) throw unsupported("Content-Type must be application/json");
    checkCompression(request);
    return (await read(request, payload)).body;
  });
}

const CHARSET_PATTERN = /;\s*charset\s*=\s*"?([^\s;"]*)/gi;

/** Refuses compressed bodies: a few kilobytes could become gigabytes. */
function checkCompression({ headers }: FastifyRequest): void {
  const coding = headers["content-encoding"]?.trim().toLowerCase() ?? "";
  if (coding !== "" && coding !== "identity") {
    throw unsupported("the body must not be compressed", { acceptEncoding: "identity" });
  }
}

function checkCoding(request: FastifyRequest): void {
  checkCompression(request);
  const { headers } = request;
  for (const [, charset] of (headers["content-type"] ?? "").matchAll(CHARSET_PATTERN)) {
    if (charset?.toLowerCase() !== "utf-8") throw unsupported("the charset must be UTF-8");
  }
}

function unsupported(reason: string, options: { acceptEncoding?: string } = {}): HttpError {
  return new HttpError("unsupported_media_type", `Cannot read the request: ${reason}`, options);
}

interface Reading {
  payload: Readable;
  limit: number;
  count(bytes: number): void;
}

function readBytes(
  headers: FastifyRequest["headers"],
  { payload, limit, count }: Reading,
): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const tooLarge = () =>
    new HttpError("payload_too_large", `Cannot read the request: the body exceeds ${limit} bytes`);
  if (Number(headers["content-length"] ?? 0) > limit) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const refuse = (error: unknown) => {
    payload.off("data", take).off("end", end).off("close", breakOff);
    chunks.length = 0;
    reject(error);
  };
  const take = (chunk: Buffer) => {
    bytes += chunk.length;
    try {
      if (bytes > limit) throw tooLarge();
      count(chunk.length);
      chunks.push(chunk);
    } catch (error) {
      refuse(error);
    }
  };
  const end = () => {
    // The stream closes after each request; without this, each would create an unused error with its stack.
    payload.off("close", breakOff);
    resolve(chunks.length === 1 ? chunks[0] as Buffer : Buffer.concat(chunks, bytes));
    chunks.length = 0;
  };
  const breakOff = () =>
    refuse(new HttpError("invalid_request", "Cannot read the request: the connection was closed"));
  // The rest of a refused body is read and dropped, so that the client reads the answer.
  payload.on("data", take).once("end", end).once("close", breakOff).on("error", breakOff);
  return promise;
}
