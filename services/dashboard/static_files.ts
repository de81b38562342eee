import { existsSync } from "node:fs";
import { join } from "node:path";
import serveStatic from "@fastify/static";
import type { FastifyInstance } from "fastify";
import { PAGE_HEADERS } from "./security_headers.ts";

/** Where the built application lies. */
export const BUILT = join(import.meta.dirname, "web", "dist");

const YEAR_S = 365 * 24 * 3600;

/**
 * Serves the application: files with a hash in their name may be kept for ever, and every address that
 * is no file gives the page, which finds out by itself what to show there.
 */
export function serveApplication(app: FastifyInstance, folder: string = BUILT): void {
  if (!existsSync(join(folder, "index.html"))) {
    throw new Error(`Cannot serve the dashboard: "${folder}" has no build; run npm run build`);
  }
  app.register(serveStatic, {
    root: folder,
    wildcard: false,
    index: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, path) => {
      reply.header(
        "cache-control",
        path.includes("/assets/") ? `public, max-age=${YEAR_S}, immutable` : "no-cache",
      );
      for (const [name, value] of Object.entries(PAGE_HEADERS)) reply.header(name, value);
    },
  });
  app.get("/*", (_request, reply) => reply.sendFile("index.html"));
}
