import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { after, before, test } from "node:test";
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { addSpanAttributes, withSpan } from "./span.ts";
import { startTelemetry, type Telemetry } from "./start_telemetry.ts";
import { currentTrace, extractTrace, injectTrace, withContext } from "./trace_context.ts";

const exporter = new InMemorySpanExporter();
let telemetry: Telemetry;

before(async () => {
  telemetry = await startTelemetry({ service: "test", env: {} });
  trace.disable();
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
  );
});

after(() => telemetry[Symbol.asyncDispose]());

function lastSpan() {
  const span = exporter.getFinishedSpans().at(-1);
  assert.ok(span);
  return span;
}

test("withSpan() returns the value of its function and keeps kind and attributes", async () => {
  const value = await withSpan("mailer.send", {
    kind: "consumer",
    attributes: { "posthaste.priority": "bulk", "posthaste.reason": undefined },
  }, async () => {
    await delay(1);
    addSpanAttributes({ "posthaste.attempt": 2 });
    return 7;
  });
  assert.equal(value, 7);
  const span = lastSpan();
  assert.equal(span.name, "mailer.send");
  assert.equal(span.kind, SpanKind.CONSUMER);
  assert.deepEqual({ ...span.attributes }, {
    "posthaste.priority": "bulk",
    "posthaste.attempt": 2,
  });
  assert.equal(span.status.code, SpanStatusCode.UNSET);
});

test("withSpan() records an error with its type from the closed list and throws it again", async () => {
  const error = Object.assign(new Error("no mailbox jane@example.com"), { responseCode: 550 });
  await assert.rejects(withSpan("mailer.send", {}, () => Promise.reject(error)), error);
  const span = lastSpan();
  assert.equal(span.attributes["error.type"], "smtp_5xx");
  assert.deepEqual(span.status, {
    code: SpanStatusCode.ERROR,
    message: "no mailbox j…@example.com",
  });
  assert.equal(span.events[0]?.name, "exception");
  assert.ok(!JSON.stringify(span.events).includes("jane"));
});

test("extractTrace() continues the trace of injectTrace() in another process", async () => {
  const { carrier, traceId } = await withSpan("api.accept", {}, () => ({
    carrier: injectTrace(),
    traceId: currentTrace()?.traceId,
  }));
  assert.match(carrier.traceparent ?? "", new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
  const continued = await withContext(
    extractTrace(carrier),
    () => withSpan("renderer.render", {}, () => currentTrace()?.traceId),
  );
  assert.equal(continued, traceId);
  assert.equal(lastSpan().parentSpanContext?.spanId, carrier.traceparent?.split("-")[2]);
});

test("extractTrace() starts a new trace for a carrier that is missing or malformed", async () => {
  await withSpan("outer", {}, async () => {
    for (const carrier of [undefined, {}, { traceparent: "00-zz-1-01" }]) {
      const inner = await withContext(
        extractTrace(carrier),
        () => withSpan("inner", {}, () => currentTrace()?.traceId),
      );
      assert.match(inner ?? "", /^[0-9a-f]{32}$/);
      assert.notEqual(inner, currentTrace()?.traceId);
    }
  });
});

test("withSpan() links to the given traces", async () => {
  const carrier = await withSpan("a", {}, () => injectTrace());
  await withSpan("b", { links: [carrier, {}] }, () => {});
  const { links } = lastSpan();
  assert.deepEqual(links.map((link) => link.context.traceId), [carrier.traceparent?.split("-")[1]]);
});

test("injectTrace() is empty outside of a span", () => {
  assert.deepEqual(injectTrace(), {});
  assert.equal(currentTrace()?.traceId, undefined);
});
