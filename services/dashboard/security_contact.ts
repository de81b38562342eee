import type { FastifyInstance } from "fastify";

/** The contents of `security.txt`. */
export interface SecurityContactOptions {
  /** `mailto:security@example.com` or the address of a page. */
  contact: string;
  /** Address at which people open the dashboard. */
  publicUrl: string;
  now(): Date;
}

const PATH = "/.well-known/security.txt";
/** RFC 9116, section 2.5.5, recommends less than a year. */
const VALID_DAYS = 180;
const DAY_MS = 24 * 3_600_000;

/** Serves the address for reports of vulnerabilities of this installation (RFC 9116). */
export function serveSecurityContact(
  app: FastifyInstance,
  { contact, publicUrl, now }: SecurityContactOptions,
): void {
  app.get(PATH, (_request, reply) => {
    const expires = new Date(now().getTime() + VALID_DAYS * DAY_MS);
    const lines = [
      `Contact: ${contact}`,
      `Expires: ${expires.toISOString()}`,
      `Canonical: ${new URL(PATH, publicUrl)}`,
    ];
    return reply.type("text/plain; charset=utf-8").send(`${lines.join("\n")}\n`);
  });
}
