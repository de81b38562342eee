import type { FastifyReply } from "fastify";

/** A file of a mail. */
export interface MailFileBytes {
  filename: string;
  /** As the sender says; browsers guess no other. */
  contentType: string;
  bytes: Uint8Array;
}

/** Answers with a file to be stored, never shown in place, under its name (RFC 6266). */
export function sendFile(
  { filename, contentType, bytes }: MailFileBytes,
  reply: FastifyReply,
): FastifyReply {
  return reply.type(contentType)
    .header("content-disposition", dispositionOf(filename))
    .send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}

/** Returns the header with the name twice: in ASCII for old clients, in UTF-8 for others (RFC 8187). */
export function dispositionOf(filename: string): string {
  const ascii = filename.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(filename.toWellFormed())
    .replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
