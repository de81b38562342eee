import {
  ASSET_SETTINGS,
  CONNECTIONS,
  REQUEST_LIMITS,
  setting,
  SUPPRESSION_SETTINGS,
} from "@posthaste/runtime";
import { z } from "zod";
import type { ApiOptions } from "./app.ts";

/** Settings of the api service, beside those that every service has. */
export const CONFIG = z.object({
  PORT: setting.port().prefault("8080").describe("Port of the HTTP interface"),
  HOST: setting.text().prefault("0.0.0.0").describe("Address of the HTTP interface"),
  ...CONNECTIONS,
  ...REQUEST_LIMITS,
  ...ASSET_SETTINGS,
  ...SUPPRESSION_SETTINGS,
  MANAGE_URL: setting.url({ schemes: ["http", "https"] }).optional()
    .describe(
      "Base URL of management by token, such as https://mail.example.com/manage/v1, shown by GET /v1; " +
        "without it, GET /v1 does not name it",
    ),
  SEARCH_RATE_LIMIT: setting.integer({ min: 0 }).prefault("5")
    .describe(
      "Maximum of lists of sends, messages and batches, of reads of states of batches and of events by type, " +
        "per token and second; 0 sets no limit",
    ),
  HEAVY_RATE_LIMIT: setting.integer({ min: 0 }).prefault("5")
    .describe("Maximum of contents, PDFs and dry runs per token and second; 0 sets no limit"),
  MAX_SCHEDULE: setting.duration({ min: 60_000, max: 31_622_400_000 }).prefault("90d")
    .describe("Maximum time that a send may be scheduled ahead"),
  RENDER_TIMEOUT: setting.duration({ min: 100, max: 30_000 }).prefault("10s")
    .describe("Maximum wait for a renderer"),
  PRINT_TIMEOUT: setting.duration({ min: 1000, max: 60_000 }).prefault("30s")
    .describe("Maximum wait for a PDF to be rendered and printed"),
  LEDGER_TIMEOUT: setting.duration({ min: 100 }).prefault("1200ms")
    .describe(
      "Maximum total time that a request waits for the database; after it, the request gets 503",
    ),
  LEDGER_OPERATIONS: setting.integer({ min: 10 }).prefault("2000")
    .describe("Maximum of operations that wait for the database; above it, requests get 503"),
  BODY_MEMORY: setting.bytes({ min: 1000 }).prefault("256MB")
    .describe("Maximum memory for the bodies of requests in progress; above it, requests get 503"),
  ACCOUNT_BODY_MEMORY: setting.bytes({ min: 1000 }).prefault("32MB")
    .describe("Maximum of that memory for the requests of one account; above it, requests get 429"),
  DISPATCH_RECIPIENTS: setting.integer({ min: 1 }).prefault("10000")
    .describe(
      "Maximum of recipients in flight to the broker; above it, the reconciler dispatches them",
    ),
  DISPATCH_MEMORY: setting.bytes({ min: 1000 }).prefault("32MB")
    .describe("Maximum of bytes in flight to the broker; above it, the reconciler dispatches them"),
  DISPATCH_LEFT: setting.integer({ min: 1 }).prefault("20000")
    .describe(
      "Number of recipients left to the reconciler from which on sends get 503, until the broker keeps up",
    ),
  BROKER_AWAY: setting.duration({ min: 1000 }).prefault("1m")
    .describe("Time without the broker after which sends get 503 and the process is not ready"),
  TRANSACTIONAL_RATE: setting.integer({ min: 0 }).prefault("50")
    .describe(
      "Messages per second of one account with transactional priority, per process; 0 sets no limit",
    ),
  TRANSACTIONAL_BURST: setting.integer({ min: 1 }).prefault("200")
    .describe(
      "Burst of messages of one account with transactional priority, per process",
    ),
  ACCOUNT_DAILY_BYTES: setting.bytes({ min: 0 }).prefault("20GB")
    .describe(
      "Maximum bytes of sends of one account per day (UTC); above it, requests get 429; 0 sets no limit",
    ),
  ACCOUNT_STORED_BYTES: setting.bytes({ min: 0 }).prefault("100GB")
    .describe(
      "Maximum bytes of stored contents of one account; above it, requests get 429; 0 sets no limit",
    ),
  REQUEST_TIMEOUT: setting.duration({ min: 1000 }).prefault("30s")
    .describe("Maximum time for a whole request to arrive"),
  IDLE_TIMEOUT: setting.duration({ min: 1000 }).prefault("1m")
    .describe("Maximum idle time of a connection before the client has read the response"),
  MAX_CONNECTIONS: setting.integer({ min: 10 }).prefault("10000")
    .describe("Maximum of open connections; more are closed immediately"),
  MAX_CLIENT_CONNECTIONS: setting.integer({ min: 1 }).prefault("2000")
    .describe(
      "Maximum of open connections from one IPv4 address, or from the first 64 bits of an IPv6 address",
    ),
  TRUSTED_PROXIES: setting.list().prefault("")
    .describe(
      "Addresses and networks of the proxies in front, which serve many clients and whose X-Forwarded-For is trusted",
    ),
});

/** Settings of the api service, as read. */
export type Config = z.infer<typeof CONFIG>;

/** Returns the limits of the interface from the settings. */
export function apiOptionsOf(config: Config): ApiOptions {
  return {
    bodyLimit: config.BODY_LIMIT,
    manageUrl: config.MANAGE_URL,
    assetsUrl: config.ASSETS_URL,
    sendLimits: {
      maxRecipients: config.MAX_RECIPIENTS,
      maxAttachments: config.MAX_ATTACHMENTS,
    },
    maxScheduleMs: config.MAX_SCHEDULE,
    rateLimit: config.RATE_LIMIT,
    searchRateLimit: config.SEARCH_RATE_LIMIT,
    heavyRateLimit: config.HEAVY_RATE_LIMIT,
    rateWindowMs: config.RATE_WINDOW,
    renderTimeoutMs: config.RENDER_TIMEOUT,
    printTimeoutMs: config.PRINT_TIMEOUT,
    ledgerTimeoutMs: config.LEDGER_TIMEOUT,
    capacity: {
      maxOperations: config.LEDGER_OPERATIONS,
      maxBytes: config.BODY_MEMORY,
      maxAccountBytes: config.ACCOUNT_BODY_MEMORY,
    },
    dispatcher: {
      maxRecipients: config.DISPATCH_RECIPIENTS,
      maxBytes: config.DISPATCH_MEMORY,
      maxLeft: config.DISPATCH_LEFT,
      maxAwayMs: config.BROKER_AWAY,
    },
    priorityBudget: { rate: config.TRANSACTIONAL_RATE, burst: config.TRANSACTIONAL_BURST },
    byteQuota: { daily: config.ACCOUNT_DAILY_BYTES, stored: config.ACCOUNT_STORED_BYTES },
    maxSuppressions: config.MAX_SUPPRESSIONS,
    edge: {
      requestTimeoutMs: config.REQUEST_TIMEOUT,
      idleTimeoutMs: config.IDLE_TIMEOUT,
      connections: {
        max: config.MAX_CONNECTIONS,
        maxPerClient: config.MAX_CLIENT_CONNECTIONS,
        proxies: config.TRUSTED_PROXIES,
      },
    },
  };
}
