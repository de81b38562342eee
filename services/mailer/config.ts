import { CONNECTIONS, setting } from "@posthaste/runtime";
import { z } from "zod";

/** Settings of the mailer service, beside those that every service has. */
export const CONFIG = z.object({
  ...CONNECTIONS,
  MASTER_KEY: setting.text({ secret: true })
    .describe("Keys that SMTP passwords are sealed under: id:base64, the current one first"),
  EHLO_NAME: setting.text().optional()
    .describe("Name given to SMTP servers; this machine's when not set"),
  MAIL_CONCURRENCY: setting.integer({ min: 1, max: 1000 }).prefault("32")
    .describe("Mails in hand at once, in each lane"),
  MAIL_LIMIT: setting.bytes({ min: 10_000 }).prefault("25MB")
    .describe("Largest mail, encoded"),
  CLAIM_LEASE: setting.duration({ min: 1000 }).prefault("5m")
    .describe("Time in which a claimed mail must be on its way, or another process may take it"),
  REPLY_TIMEOUT: setting.duration({ min: 1000 }).prefault("10m")
    .describe(
      "Longest wait for a server's reply to a mail that was handed over (RFC 5321, 4.5.3.2.6)",
    ),
  CONNECTION_IDLE: setting.duration({ min: 100 }).prefault("30s")
    .describe("An unused connection to an SMTP server is closed after this time"),
  ATTACHMENT_CACHE: setting.bytes({ min: 0 }).prefault("64MB")
    .describe("Memory for PDFs that several mails share"),
});
