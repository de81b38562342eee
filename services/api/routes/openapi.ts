import { hash } from "node:crypto";
import { openApiDocument } from "@posthaste/contracts";
import type { FastifyInstance } from "fastify";
import { sendUnlessKnown } from "@posthaste/http";

/** Adds `GET /v1/openapi.json`: the document generated from the list of endpoints. */
export function openApiRoute(app: FastifyInstance): void {
  let made: { text: string; etag: string } | undefined;
  app.get("/openapi.json", (request, reply) => {
    made ??= make();
    reply.type("application/json; charset=utf-8");
    return sendUnlessKnown(made.text, { request, reply, etag: made.etag });
  });
}

function make() {
  const text = JSON.stringify(openApiDocument());
  return { text, etag: `"${hash("sha256", text, "base64url").slice(0, 22)}"` };
}
