import { setting } from "@posthaste/runtime";
import { z } from "zod";
import type { ApiOptions } from "./app.ts";

/** Settings of the api service, beside those that every service has. */
export const CONFIG = z.object({
  PORT: setting.port().prefault("8080").describe("Port of the HTTP interface"),
  HOST: setting.text().prefault("0.0.0.0").describe("Address of the HTTP interface"),
  MONGODB_URL: setting.url({ schemes: ["mongodb", "mongodb+srv"], secret: true })
    .describe("Where the database is; the path names it, posthaste if there is none"),
  NATS_URL: setting.url({ schemes: ["nats", "tls", "ws", "wss"], secret: true })
    .describe("Where the broker is"),
  BODY_LIMIT: setting.bytes({ min: 1000, max: 15_000_000 }).prefault("5MB")
    .describe("Largest request body"),
  MAX_RECIPIENTS: setting.integer({ min: 1, max: 10_000 }).prefault("1000")
    .describe("Most recipients of one send"),
  MAX_ATTACHMENTS: setting.integer({ min: 0, max: 100 }).prefault("10")
    .describe("Most attachments of one recipient"),
  RATE_LIMIT: setting.integer({ min: 0 }).prefault("100")
    .describe("Requests that one token may make within RATE_WINDOW, per process; 0 sets no limit"),
  RATE_WINDOW: setting.duration({ min: 100 }).prefault("1s")
    .describe("Time in which requests are counted for RATE_LIMIT"),
  RENDER_TIMEOUT: setting.duration({ min: 100, max: 30_000 }).prefault("10s")
    .describe("Longest wait for a renderer"),
  LEDGER_TIMEOUT: setting.duration({ min: 100 }).prefault("1500ms")
    .describe("Longest wait for one operation of the database, before a request gets 503"),
  REQUEST_TIMEOUT: setting.duration({ min: 1000 }).prefault("30s")
    .describe("Longest time for a whole request to arrive"),
});

/** Settings of the api service, as read. */
export type Config = z.infer<typeof CONFIG>;

/** The limits of the interface, out of the settings. */
export function apiOptionsOf(config: Config): Required<ApiOptions> {
  return {
    bodyLimit: config.BODY_LIMIT,
    sendLimits: {
      maxRecipients: config.MAX_RECIPIENTS,
      maxAttachments: config.MAX_ATTACHMENTS,
    },
    rateLimit: config.RATE_LIMIT,
    rateWindowMs: config.RATE_WINDOW,
    renderTimeoutMs: config.RENDER_TIMEOUT,
    ledgerTimeoutMs: config.LEDGER_TIMEOUT,
    requestTimeoutMs: config.REQUEST_TIMEOUT,
  };
}
