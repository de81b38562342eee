import assert from "node:assert/strict";
import { test } from "node:test";
import { describeConfig, readConfig } from "@posthaste/runtime";
import { apiOptionsOf, CONFIG } from "./config.ts";

const REQUIRED = { MONGODB_URL: "mongodb://localhost/posthaste", NATS_URL: "nats://localhost" };

test("CONFIG requires the database and the broker, and defaults to the documented limits", () => {
  assert.throws(() => readConfig(CONFIG, {}), /MONGODB_URL.*NATS_URL/);
  const config = readConfig(CONFIG, REQUIRED);
  assert.equal(config.PORT, 8080);
  assert.deepEqual(apiOptionsOf(config), {
    bodyLimit: 5_000_000,
    sendLimits: { maxRecipients: 1000, maxAttachments: 10 },
    maxScheduleMs: 7_776_000_000,
    maxSuppressions: 1_000_000,
    ...{ rateLimit: 100, searchRateLimit: 5, heavyRateLimit: 5 },
    rateWindowMs: 1000,
    renderTimeoutMs: 10_000,
    printTimeoutMs: 30_000,
    ledgerTimeoutMs: 1200,
    assetsUrl: undefined,
    manageUrl: undefined,
    capacity: { maxOperations: 2000, maxBytes: 256_000_000, maxAccountBytes: 32_000_000 },
    dispatcher: {
      maxRecipients: 10_000,
      maxBytes: 32_000_000,
      maxLeft: 20_000,
      maxAwayMs: 60_000,
    },
    priorityBudget: { rate: 50, burst: 200 },
    byteQuota: { daily: 20_000_000_000, stored: 100_000_000_000 },
    edge: {
      requestTimeoutMs: 30_000,
      idleTimeoutMs: 60_000,
      connections: { max: 10_000, maxPerClient: 2000, proxies: [] },
    },
  });
});

test("CONFIG describes every setting", () => {
  for (const { name, description } of describeConfig(CONFIG)) {
    assert.notEqual(description, "", name);
  }
});
