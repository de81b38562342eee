import assert from "node:assert/strict";
import { test } from "node:test";
import { metrics } from "@opentelemetry/api";
import { cpuRatio } from "@posthaste/kit";
import { METRIC_ATTRIBUTES } from "./attributes.ts";
import { METRICS } from "./metric_list.ts";
import { count, recordDuration } from "./metrics.ts";

test("METRICS has OpenTelemetry's units and describes each metric", () => {
  for (const [name, { unit, description }] of Object.entries(METRICS)) {
    assert.match(name, /^[a-z0-9]+(\.[a-z0-9_]+)+$/);
    assert.match(unit, /^(s|By|1|\{[a-z_]+\})$/);
    assert.ok(description.length > 10, name);
  }
});

test("METRIC_ATTRIBUTES contains no id of an object or person", () => {
  for (const name of METRIC_ATTRIBUTES) assert.doesNotMatch(name, /\.id$|email|address|user/);
});

test("count() and recordDuration() cost almost nothing without a provider", async () => {
  metrics.disable();
  const record = () => {
    for (let i = 0; i < 10_000; i++) {
      count("posthaste.smtp.outcomes", 1, { "posthaste.outcome": "sent" });
      recordDuration("posthaste.smtp.duration", 0.1);
    }
  };
  let made: unknown;
  const copyAttributes = () => {
    for (let i = 0; i < 10_000; i++) {
      made = Object.fromEntries(Object.entries({ "posthaste.outcome": `sent ${i}` }));
    }
  };
  const ratio = await cpuRatio(record, copyAttributes, { below: 0.3 });
  assert.ok(made);
  assert.ok(ratio < 0.3, `${ratio} times the cost of copying one set of attributes`);
});
