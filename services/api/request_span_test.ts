import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  type Attributes,
  type Context,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { startTelemetry, type Telemetry } from "@posthaste/telemetry";
import { until } from "@posthaste/kit";
import { openTestApp, SEND, smallSend } from "./_test_app.ts";

interface Recorded {
  name: string;
  kind: SpanKind | undefined;
  attributes: Attributes;
  parentId: string | undefined;
  status: SpanStatusCode;
  ended: number;
}

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const TRACEPARENT = `00-${TRACE_ID}-b7ad6b7169203331-01`;
const recorded: Recorded[] = [];
let telemetry: Telemetry;

before(async () => {
  telemetry = await startTelemetry({ service: "api", env: {} });
  trace.disable();
  trace.setGlobalTracerProvider({
    getTracer: () => ({
      startSpan: recordSpan,
      startActiveSpan: () => {
        throw new Error("Cannot record an active span: no test needs one");
      },
    }),
  });
});

after(() => telemetry[Symbol.asyncDispose]());

function recordSpan(name: string, options: SpanOptions = {}, parent?: Context): Span {
  const from = parent === undefined ? undefined : trace.getSpanContext(parent);
  const record: Recorded = {
    name,
    kind: options.kind,
    attributes: { ...options.attributes },
    parentId: from?.spanId,
    status: SpanStatusCode.UNSET,
    ended: 0,
  };
  recorded.push(record);
  const spanContext = {
    traceId: from?.traceId ?? "1".repeat(32),
    spanId: "2".repeat(16),
    traceFlags: 1,
  };
  const span: Span = {
    spanContext: () => spanContext,
    setAttribute: () => span,
    setAttributes: (attributes) => {
      for (const [key, value] of Object.entries(attributes)) {
        if (value !== undefined) record.attributes[key] = value;
      }
      return span;
    },
    setStatus: ({ code }) => {
      record.status = code;
      return span;
    },
    end: () => void record.ended++,
    addEvent: () => span,
    addLink: () => span,
    addLinks: () => span,
    updateName: () => span,
    isRecording: () => true,
    recordException: () => {},
  };
  return span;
}

test("spanRequests() joins the caller's trace, and so does the send", async () => {
  recorded.length = 0;
  await using api = openTestApp();
  await api.post(SEND, smallSend(), { traceparent: TRACEPARENT });
  assert.deepEqual(recorded, [{
    name: "POST /v1/templates/{templateId}/send/{integrationId}",
    kind: SpanKind.SERVER,
    attributes: {
      "http.request.method": "POST",
      "http.route": "/v1/templates/{templateId}/send/{integrationId}",
      "http.response.status_code": 200,
      "url.scheme": "http",
    },
    parentId: "b7ad6b7169203331",
    status: SpanStatusCode.UNSET,
    ended: 1,
  }]);
  assert.equal(api.sends[0]?.trace, `00-${TRACE_ID}-${"2".repeat(16)}-01`);
});

test("spanRequests() starts a trace if the caller sends none, or an invalid one", async () => {
  recorded.length = 0;
  await using api = openTestApp();
  await api.post(SEND, smallSend());
  await api.post(SEND, smallSend(), { traceparent: "00-nonsense" });
  assert.deepEqual(recorded.map(({ parentId }) => parentId), [undefined, undefined]);
  assert.match(api.sends[1]?.trace ?? "", /^00-1{32}-/);
});

test("spanRequests() ends the span of a caller that disconnected", async () => {
  recorded.length = 0;
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  await using api = openTestApp({
    sends: {
      accept: () => {
        arrive();
        return new Promise(() => {});
      },
    },
  }, { ledgerTimeoutMs: 300 });
  const url = await api.app.listen({ port: 0, host: "127.0.0.1" });
  const controller = new AbortController();
  const answering = fetch(`${url}${SEND}`, {
    method: "POST",
    headers: { authorization: "Bearer ph_all", "content-type": "application/json" },
    body: JSON.stringify(smallSend()),
    signal: controller.signal,
  });
  await arrived;
  controller.abort();
  await assert.rejects(answering);
  await until(() => recorded.some(({ ended }) => ended > 0), { message: "the end of the span" });
  assert.deepEqual(recorded.map(({ ended, attributes }) => [ended, attributes["error.type"]]), [
    [1, "canceled"],
  ]);
});

test("spanRequests() marks only internal errors as errors, and records no unknown path", async () => {
  recorded.length = 0;
  await using api = openTestApp({
    versions: { latestEmailVersion: () => Promise.reject(new Error("down")) },
  });
  await api.post(SEND, smallSend());
  await api.post(SEND, "{");
  await api.get("/secret/jane@example.net");
  const seen = recorded.map(({ name, attributes, status, ended }) => [
    name,
    attributes["http.response.status_code"],
    attributes["error.type"],
    status,
    ended,
  ]);
  const name = "POST /v1/templates/{templateId}/send/{integrationId}";
  assert.deepEqual(seen, [
    [name, 503, "unavailable", SpanStatusCode.ERROR, 1],
    [name, 400, undefined, SpanStatusCode.UNSET, 1],
    ["GET", 404, undefined, SpanStatusCode.UNSET, 1],
  ]);
});
