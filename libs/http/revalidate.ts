import type { FastifyReply, FastifyRequest } from "fastify";

/** A request for content that a client may have already. */
export interface Revalidation {
  request: FastifyRequest;
  reply: FastifyReply;
  /** Includes its quotes. */
  etag: string;
}

/** Sends a text under its `ETag`, or 304 if the client has it (RFC 9110, 13.1.2). */
export function sendUnlessKnown(
  text: string,
  { request, reply, etag }: Revalidation,
): FastifyReply {
  reply.header("etag", etag);
  const known = (request.headers["if-none-match"] ?? "").split(",")
    .map((each) => each.trim().replace(/^W\//, ""));
  // A client may keep it but must revalidate: access ends with the token.
  reply.header("cache-control", "private, no-cache");
  return known.includes(etag) || known.includes("*")
    ? reply.code(304).removeHeader("content-type").send()
    : reply.send(text);
}
