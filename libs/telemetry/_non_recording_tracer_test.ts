import assert from "node:assert/strict";
import { test } from "node:test";
import { ROOT_CONTEXT, SpanKind, trace, TraceFlags } from "@opentelemetry/api";
import { nonRecordingTracers } from "./_non_recording_tracer.ts";
import { startTelemetry } from "./start_telemetry.ts";
import { extractTrace, injectTrace, withContext } from "./trace_context.ts";
import { withSpan } from "./span.ts";

const tracer = nonRecordingTracers().getTracer("test");

test("nonRecordingTracers() begins a sampled trace where there is none, as far as other services know", () => {
  const [one, other] = ["a", "b"].map((name) =>
    tracer.startSpan(name, {}, ROOT_CONTEXT).spanContext()
  );
  assert.match(one?.traceId ?? "", /^[0-9a-f]{32}$/);
  assert.match(one?.spanId ?? "", /^[0-9a-f]{16}$/);
  assert.equal(one?.traceFlags, TraceFlags.SAMPLED);
  assert.notEqual(one?.traceId, other?.traceId);
});

test("nonRecordingTracers() continues a trace, sampled or not, with a span of its own", () => {
  // The other bits mean nothing to a version that does not know them (W3C Trace Context, section 3.2.2.5).
  for (const [flags, traceFlags] of [[0, 0], [1, 1], [0xff, 1], [0x10, 0]] as const) {
    const remote = {
      traceId: "a".repeat(32),
      spanId: "b".repeat(16),
      traceFlags: flags,
      isRemote: true,
    };
    const parent = trace.setSpanContext(ROOT_CONTEXT, remote);
    const own = tracer.startSpan("x", { kind: SpanKind.CLIENT }, parent).spanContext();
    assert.deepEqual({ ...own, spanId: "" }, {
      ...remote,
      spanId: "",
      traceFlags,
      isRemote: false,
    });
    assert.notEqual(own.spanId, remote.spanId);
    const root = tracer.startSpan("x", { root: true }, parent).spanContext();
    assert.notEqual(root.traceId, remote.traceId);
  }
});

test("nonRecordingTracers() keeps nothing of a span", () => {
  assert.equal(tracer.startSpan("x", {}, ROOT_CONTEXT).isRecording(), false);
});

test("withSpan() without an exporter continues the trace that came in, and nests", async () => {
  await using _ = await startTelemetry({ service: "mailer", env: {} });
  const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-00`;
  const [outer, inner] = await withContext(
    extractTrace({ traceparent, tracestate: "vendor=1" }),
    () =>
      withSpan("a", {}, async () => [
        injectTrace(),
        await withSpan("b", {}, () => injectTrace()),
      ]),
  );
  for (const own of [outer, inner]) {
    assert.match(own?.traceparent ?? "", /^00-a{32}-[0-9a-f]{16}-00$/);
    assert.equal(own?.tracestate, "vendor=1");
  }
  assert.equal(new Set([traceparent, outer?.traceparent, inner?.traceparent]).size, 3);
});

test("startActiveSpan() of nonRecordingTracers() takes its function in each of its three places", async () => {
  await using _ = await startTelemetry({ service: "mailer", env: {} });
  const active = () => trace.getActiveSpan();
  assert.ok(tracer.startActiveSpan("x", (span) => span === active()));
  assert.ok(tracer.startActiveSpan("x", {}, (span) => span === active()));
  assert.ok(tracer.startActiveSpan("x", {}, ROOT_CONTEXT, (span) => span === active()));
});
