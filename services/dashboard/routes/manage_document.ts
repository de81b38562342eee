import { hash } from "node:crypto";
import { sendUnlessKnown } from "@posthaste/http";
import type { FastifyInstance } from "fastify";
import { manageDocument } from "../manage/manage_document.ts";

/** Adds `GET /manage/v1/openapi.json`, for any token. */
export function manageDocumentRoute(app: FastifyInstance): void {
  let made: { text: string; etag: string } | undefined;
  app.get("/openapi.json", { config: { scopes: [] } }, (request, reply) => {
    made ??= make();
    reply.type("application/json; charset=utf-8");
    return sendUnlessKnown(made.text, { request, reply, etag: made.etag });
  });
}

function make() {
  const text = JSON.stringify(manageDocument());
  return { text, etag: `"${hash("sha256", text, "base64url").slice(0, 22)}"` };
}
