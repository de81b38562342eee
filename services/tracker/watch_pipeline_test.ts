import assert from "node:assert/strict";
import { test } from "node:test";
import { CONSUMERS } from "@posthaste/messaging";
import { startTelemetry } from "@posthaste/telemetry";
import { until } from "@posthaste/kit";
import { watchPipeline } from "./watch_pipeline.ts";

test("watchPipeline() reports its values as metrics, and none that is a minute old", async () => {
  await using telemetry = await startTelemetry({ service: "tracker", env: {}, prometheus: true });
  const read = async () => (await telemetry.readMetrics?.(undefined))?.body ?? "";
  let now = new Date("2026-01-01T00:00:30Z");
  const warnings: string[] = [];
  const stop = new AbortController();
  using _stopping = { [Symbol.dispose]: () => stop.abort() };
  const watching = watchPipeline({
    queueAges: () =>
      Promise.resolve(CONSUMERS.map((plan) => ({
        plan,
        messages: plan.name === "pdf_bulk" ? 3 : 0,
        oldestAt: plan.name === "pdf_bulk" ? new Date("2026-01-01T00:00:00Z") : null,
      }))),
    fills: () => Promise.resolve([{ name: "MAIL", kind: "queue", bytes: 10, maxBytes: 100 }]),
    statistics: {
      ledgerState: () => Promise.reject(new Error("the ledger is away")),
    },
    now: () => now,
    logger: { warn: (message) => void warnings.push(message) },
  }, stop.signal);
  const labels = '{posthaste_stage="pdf",posthaste_priority="bulk",' +
    'messaging_consumer_group_name="pdf_bulk"}';
  const text = await until(async () => {
    const body = await read();
    return body.includes("posthaste_stream_size_bytes") && body;
  });
  const lines = text.split("\n");
  assert.ok(lines.includes(`posthaste_queue_messages${labels} 3`));
  assert.ok(lines.includes(`posthaste_queue_oldest_age_seconds${labels} 30`));
  assert.ok(
    lines.includes(
      'posthaste_stream_limit_bytes{posthaste_stream="MAIL",posthaste_stream_kind="queue"} 100',
    ),
  );
  assert.doesNotMatch(text, /^posthaste_messages\{/m);
  assert.match(warnings[0] ?? "", /^Cannot read the state of the pipeline/);

  now = new Date("2026-01-01T00:01:31Z");
  assert.doesNotMatch(await read(), /^posthaste_(queue|stream)\w*\{/m);
  stop.abort();
  await watching;
});
