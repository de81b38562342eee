import type { RequestListener } from "node:http";
import { gzipSync } from "node:zlib";

/** One pixel. */
export const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** Serves images and other content. Each path misbehaves in its own way. */
export const serveImages: RequestListener = ({ url = "/" }, response) => {
  const [, path = "", rest = ""] = /^\/(\w*)[^/]*\/?([^?]*)/.exec(url) ?? [];
  switch (path) {
    case "to":
      return response.writeHead(302, { location: decodeURIComponent(rest) }).end();
    case "hop": {
      const location = Number(rest) > 1 ? `/hop/${Number(rest) - 1}` : "/a.png";
      return response.writeHead(307, { location }).end();
    }
    case "status":
      return response.writeHead(Number(rest)).end();
    case "text":
      return response.setHeader("content-type", "image/png").end("root:x:0:0");
    case "gzip":
      return response.setHeader("content-encoding", "gzip").end(gzipSync(Buffer.alloc(10 ** 7)));
    case "huge": {
      const png = Buffer.from(PNG);
      png.writeUInt32BE(100_000, 16);
      png.writeUInt32BE(100_000, 20);
      return response.end(png);
    }
    case "endless":
      return trickle(65_536);
    case "drip":
      return trickle(1);
    case "silent":
      return;
    case "cut":
      return response.writeHead(200, { "content-length": 999 })
        .write(PNG, () => response.destroy());
    case "entities":
      return response.end(`<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>`);
    case "svg":
      return response.end(`<?xml version="1.0"?>\n<!-- a --><svg xmlns="x"/>`);
    default:
      return response.setHeader("set-cookie", "a=b").end(PNG);
  }

  function trickle(bytes: number): void {
    const timer = setInterval(() => response.write(Buffer.alloc(bytes)), 5);
    response.on("close", () => clearInterval(timer));
  }
};
