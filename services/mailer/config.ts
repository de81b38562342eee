import {
  type GuardedResolver,
  isNetwork,
  openGuardedResolver,
  readNetworks,
} from "@posthaste/egress";
import { CONNECTIONS, MAIL_LIMITS, setting } from "@posthaste/runtime";
import { z } from "zod";
import type { TokenClient } from "./oauth/fetch_token.ts";
import { isTokenEndpoint, readTokenEndpoints } from "./oauth/token_endpoints.ts";

/** Settings of the mailer service, beside those that every service has. */
export const CONFIG = z.object({
  ...CONNECTIONS,
  MASTER_KEY: setting.text({ secret: true })
    .describe("Keys that open SMTP passwords, as id:base64, the current key first"),
  EHLO_NAME: setting.text().optional()
    .describe("Name in EHLO; when not set, the name of this machine"),
  SMTP_PORTS: setting.ports().prefault("25,465,587,2525")
    .describe("Allowed ports of SMTP servers at public addresses"),
  EGRESS_ALLOW: setting.listOf("networks such as 10.1.0.0/16", isNetwork).optional()
    .describe("Private networks in which all accounts may use SMTP servers, on any port"),
  OAUTH_ENDPOINTS: setting.listOf(
    "endpoints such as google=https://oauth2.example/token",
    isTokenEndpoint,
  ).optional()
    .describe(
      "Token endpoints in place of those of microsoft and google, such as Microsoft's in national clouds; {tenant} stands for the tenant",
    ),
  MAIL_CONCURRENCY: setting.integer({ min: 1, max: 1000 }).prefault("32")
    .describe(
      "Concurrent events for each priority; the bytes of mails in flight are also bounded",
    ),
  ...MAIL_LIMITS,
  TRANSFER_TIMEOUT: setting.duration({ min: 1000 }).prefault("5m")
    .describe("Maximum time to transmit a mail to its server, up to the final dot"),
  REPLY_TIMEOUT: setting.duration({ min: 1000 }).prefault("10m")
    .describe(
      "Maximum wait for a server's reply after the final dot (RFC 5321, 4.5.3.2.6)",
    ),
  RETRY_DELAY: setting.duration({ min: 100 }).prefault("1m")
    .describe(
      "Wait after the first temporary failure; after the next ones 5, 15, 30, 60, 120, then 240 times as long",
    ),
  CIRCUIT_PAUSE: setting.duration({ min: 100 }).prefault("30s")
    .describe(
      "Pause for a server after five connection failures in a row; it doubles, up to 20 times as long",
    ),
  CONNECTION_IDLE: setting.duration({ min: 100 }).prefault("30s")
    .describe("Time after which an idle connection to an SMTP server is closed"),
  METRIC_INTEGRATIONS: setting.integer({ min: 0, max: 1000 }).prefault("50")
    .describe(
      'SMTP integrations that this process names in posthaste.smtp.outcomes; the rest are "other", and 0 names none',
    ),
  ATTACHMENT_CACHE: setting.bytes({ min: 0 }).prefault("64MB")
    .describe("Memory for PDFs that several messages share"),
});

/** Returns the rules for the addresses of integrations. */
export function openResolver(
  { SMTP_PORTS, EGRESS_ALLOW = [] }: Pick<z.infer<typeof CONFIG>, "SMTP_PORTS" | "EGRESS_ALLOW">,
): GuardedResolver {
  return openGuardedResolver({
    ports: SMTP_PORTS.map(Number),
    allowed: readNetworks(EGRESS_ALLOW),
  });
}

/** Providers are asked for access tokens at this port; operators may name others. */
const TOKEN_PORT = 443;

/** A provider that is slower is not available. */
const TOKEN_TIMEOUT_MS = 10_000;

/** Returns how providers are asked for access tokens. */
export function openTokenClient(
  { OAUTH_ENDPOINTS = [], EGRESS_ALLOW = [] }: Pick<
    z.infer<typeof CONFIG>,
    "OAUTH_ENDPOINTS" | "EGRESS_ALLOW"
  >,
  now: () => Date,
): TokenClient {
  return {
    endpoints: readTokenEndpoints(OAUTH_ENDPOINTS),
    resolveHost: openGuardedResolver({
      ports: [TOKEN_PORT],
      allowed: readNetworks(EGRESS_ALLOW),
    }),
    timeoutMs: TOKEN_TIMEOUT_MS,
    now,
  };
}
