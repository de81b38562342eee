import assert from "node:assert/strict";
import { test } from "node:test";
import { UNKNOWN_HEALTH, type Webhook } from "@posthaste/contracts";
import { until } from "@posthaste/kit";
import { startTelemetry } from "@posthaste/telemetry";
import { DOWN_AFTER } from "./endpoint_state.ts";
import { watchEndpoints } from "./watch_endpoints.ts";

test("watchEndpoints() reports endpoints and their oldest event as metrics, and none that is a minute old", async () => {
  await using telemetry = await startTelemetry({ service: "webhooks", env: {}, prometheus: true });
  const read = async () => (await telemetry.readMetrics?.(undefined))?.body ?? "";
  let now = new Date("2026-01-01T00:10:00Z");
  const warnings: string[] = [];
  const stop = new AbortController();
  using _stopping = { [Symbol.dispose]: () => stop.abort() };
  const held = [0, DOWN_AFTER].map((failures) => ({
    ...{ _id: `whk_${failures}`, accountId: "acc_1", position: 1 },
    health: { ...UNKNOWN_HEALTH, failures },
  }));
  const watching = watchEndpoints({
    holder: "me",
    webhooks: {
      listHeld: () => Promise.resolve(held as Webhook[]),
      countEndpoints: () => Promise.resolve({ up: 7, down: 2, disabled: 1 }),
      waitingSince: ([endpoint]) =>
        Promise.resolve(endpoint?._id === "whk_0" ? null : new Date("2026-01-01T00:00:00Z")),
    },
    now: () => now,
    logger: { warn: (message) => void warnings.push(message) },
  }, stop.signal);
  const text = await until(async () => {
    const body = await read();
    return body.includes("posthaste_webhook_endpoints{") && body;
  });
  const lines = text.split("\n");
  for (
    const line of [
      'posthaste_webhook_endpoints{posthaste_state="up"} 7',
      'posthaste_webhook_endpoints{posthaste_state="down"} 2',
      'posthaste_webhook_endpoints{posthaste_state="disabled"} 1',
      'posthaste_webhook_oldest_age_seconds{posthaste_state="up"} 0',
      'posthaste_webhook_oldest_age_seconds{posthaste_state="down"} 600',
    ]
  ) assert.ok(lines.includes(line), `${line}\n${text}`);
  now = new Date("2026-01-01T00:11:01Z");
  assert.doesNotMatch(await read(), /^posthaste_webhook\w*\{/m);
  stop.abort();
  await watching;
  assert.deepEqual(warnings, []);
});
