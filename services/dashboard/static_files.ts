import { existsSync } from "node:fs";
import { extname, join } from "node:path";
import serveStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { pageHeaders, type PageHeadersOptions } from "./security_headers.ts";

/** Folder of the built application. */
const BUILT = join(import.meta.dirname, "web", "dist");

/** Which application is served. */
export interface ApplicationOptions extends PageHeadersOptions {
  /** Folder of the build. @default {BUILT} */
  folder?: string | undefined;
}

const YEAR_S = 365 * 24 * 3600;
const DOT_FILE = /(^|\/)\./;
const COMPRESSED = new Set([".br", ".gz"]);

/**
 * Serves the application. A file below `/assets/` has the hash of its content in its name, and may
 * be cached for ever. An address without a dot in its last part is a page: it returns the one HTML
 * file, which decides what to show. Any other address is a file of the build, or 404.
 *
 * @throws {Error} If there is no build.
 */
export function serveApplication(app: FastifyInstance, options: ApplicationOptions): void {
  const { folder = BUILT } = options;
  if (!existsSync(join(folder, "index.html"))) {
    throw new Error(`Cannot serve the dashboard: "${folder}" has no build; run npm run build`);
  }
  const headers = pageHeaders(options);
  app.register(serveStatic, {
    root: folder,
    serve: false,
    dotfiles: "ignore",
    index: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, path) => {
      const isHashed = path.startsWith(join(folder, "assets"));
      reply.header("cache-control", isHashed ? `public, max-age=${YEAR_S}, immutable` : "no-cache");
      for (const [name, value] of Object.entries(headers)) reply.header(name, value);
    },
  });
  app.get("/*", (request: FastifyRequest<{ Params: { "*": string } }>, reply: FastifyReply) => {
    const path = request.params["*"];
    const extension = extname(path);
    if (/^(?:api|manage)(?:\/|$)/.test(path) || COMPRESSED.has(extension)) {
      return reply.callNotFound();
    }
    const isFile = path.startsWith("assets/") || extension !== "" || DOT_FILE.test(path);
    if (isFile && path.endsWith("/")) return reply.callNotFound();
    return reply.sendFile(isFile ? path : "index.html");
  });
}
