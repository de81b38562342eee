import type { MailPdf } from "@posthaste/messaging";
import type { FastifyReply } from "fastify";

/** Answers with a PDF, under its file name (RFC 6266). */
export function sendPdf({ filename, bytes }: MailPdf, reply: FastifyReply): FastifyReply {
  return reply.type("application/pdf")
    .header("content-disposition", dispositionOf(filename))
    .send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}

/** Old clients read the name in ASCII, the others the one in UTF-8 (RFC 8187). */
export function dispositionOf(filename: string): string {
  const ascii = filename.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(filename.toWellFormed())
    .replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
