import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type MetricDefinition, METRICS } from "@posthaste/telemetry";
import {
  nightly,
  openOtlpReceiver,
  openSmtpSink,
  type OtlpReceiver,
  type ReceivedSpan,
  type SmtpSink,
  until,
} from "@posthaste/kit";
import { expectOneTrace, spansOf } from "./expect_one_trace.ts";
import { openSystem, SENDER, type System } from "./system.ts";
import { openTimeTravel } from "./time_travel.ts";
import { openWebhookEndpoint } from "./webhook_endpoint.ts";

nightly("tests/e2e/start_test.ts", "libs/telemetry/metrics_test.ts");

let system: System;
let sink: SmtpSink;
let telemetry: OtlpReceiver;
let integration: number;
let opened: AsyncDisposableStack;

before(async () => {
  await using stack = new AsyncDisposableStack();
  telemetry = stack.use(await openOtlpReceiver());
  sink = stack.use(await openSmtpSink());
  const env = { ...telemetry.envOf("grpc"), LOG_LEVEL: "debug" };
  system = stack.use(await openSystem({ webhooks: true, env }));
  integration = await system.connect(sink.port);
  opened = stack.move();
});
after(() => opened?.disposeAsync());

/** A trace as a caller begins it. */
const caller = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };

test("one trace leads from the caller's request through every service to the SMTP reply, over gRPC", async () => {
  await expectOneTrace({ system, telemetry, sink, integration });
});

test("a mail that waits and is sent again stays in the trace of its request", async () => {
  await using server = await openSmtpSink();
  const port = server.port;
  await server[Symbol.asyncDispose]();
  const template = await system.publishEmail({ subject: "Later", html: "<p>Hi" });
  const traceId = caller.traceId.replace("4bf9", "5bf9");
  const { id, messages } = await system.send({
    template,
    integration: await system.connect(port),
    to: [{ email: "later@traced.example" }],
  }, { headers: { traceparent: `00-${traceId}-${caller.spanId}-01` } });
  await system.untilResting(id);
  await using travel = openTimeTravel(system);
  await using _again = await openSmtpSink({ port });
  await travel.endDeferral(id);
  await until(async () => (await system.message(messages[0]?.id ?? "")).state === "sent", {
    message: "the mail to be sent",
  });
  const attempts = (found: ReceivedSpan[]) => found.filter(({ name }) => name === "smtp.send");
  const spans = await spansOf(telemetry, traceId, (found) => attempts(found).length === 2);
  assert.equal(attempts(spans).length, 2);
});

test("nothing personal is in any log line or span, whether mail goes out or not", async () => {
  const canary = "zqcanary";
  const variables = { n: `${canary}-value`, nested: { day: `${canary}-day` } };
  const recipient = (who: string) => ({
    email: `${canary}.${who}@reader.example`,
    name: `${canary} Name`,
    variables,
  });
  const template = await system.publishEmail({
    subject: `${canary} subject {{ n }}`,
    html: `<p>${canary} body {{ n }}`,
  });
  const failing = await system.publishEmail({
    subject: `${canary} {{date nested.day}}`,
    html: "<p>Hi",
  });
  const pdf = await system.publishPdf({
    html: `<p>${canary} {{ n }}<img src="http://${canary}.example/a.png">`,
    page: { missing: "leave_out" },
    filename: `${canary}-{{ n }}.pdf`,
  });
  await using refusing = await openSmtpSink({
    script: ({ stage, address }) =>
      stage === "rcpt" ? { reply: `550 5.1.1 No such user ${address}` } : undefined,
  });
  const good = await system.send({
    template,
    integration,
    from: { email: SENDER, name: `${canary} Shop` },
    to: [{ ...recipient("good"), attachments: [{ id: pdf }] }, recipient("plain")],
  });
  const refused = await system.send({
    template,
    integration: await system.connect(refusing.port),
    to: [recipient("refused")],
  });
  const unfilled = await system.send({ template: failing, integration, to: [recipient("bad")] });
  await system.post(`/templates/${template}/render`, variables);
  await system.post(`/templates/${failing}/render`, variables);
  await system.post(`/templates/${template}/send/${integration}`, {
    from: { email: `${canary}@else.example` },
    to: [recipient("unsent")],
  });
  await system.post(`/templates/${template}/send/${integration}`, `{"to":"${canary}`);
  assert.deepEqual((await system.untilDone(good.id)).states, { sent: 2 });
  assert.deepEqual((await system.untilDone(refused.id)).states, { failed: 1 });
  assert.deepEqual((await system.untilDone(unfilled.id)).states, { failed: 1 });
  assert.ok(sink.messages.some(({ raw }) => raw.includes(canary)), "the canary flew");
  const before = telemetry.bodies.length;
  await until(() => telemetry.bodies.length > before + 4);

  const leaks = (texts: readonly string[]) =>
    texts.filter((text) => text.includes(canary)).map((text) => {
      const at = text.indexOf(canary);
      return text.slice(Math.max(0, at - 300), at + 100);
    });
  assert.ok(system.lines.length > 10 && telemetry.spans.length > 10);
  assert.deepEqual(leaks(system.lines), []);
  assert.deepEqual(leaks(telemetry.bodies), []);
  assert.deepEqual(system.lines.filter((line) => line.includes(system.token)), []);
});

/** Returns the health port in a service's log. */
function healthPortOf(service: string): number {
  for (const line of system.lines) {
    const [, port] =
      line.match(new RegExp(`^${service} .*"message":"Starting".*"healthPort":(\\d+)`)) ?? [];
    if (port !== undefined) return Number(port);
  }
  throw new Error(`Cannot find the health port of "${service}"`);
}

async function metricsOf(service: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${healthPortOf(service)}/metrics`, {
    headers: { accept: "application/openmetrics-text; version=1.0.0" },
  });
  assert.equal(response.status, 200);
  return await response.text();
}

/** Metrics that are recorded only on failures, while mail waits, or for logins by access tokens. */
const RARE: readonly string[] = [
  "posthaste.breaker.transitions",
  "posthaste.browser.restarts",
  "posthaste.events.refused",
  "posthaste.due.dispatched",
  "posthaste.oauth.refreshes",
  "posthaste.reconcile.dispatched",
  "posthaste.reconcile.duration",
  "posthaste.reconcile.ended",
  "posthaste.reconcile.sends",
  // The services may not look there, by Node's permission model.
  "process.unix.file_descriptor.count",
];

test("every metric arrives in ordinary use, with no other attributes than it is declared with", async () => {
  await using _endpoint = await openWebhookEndpoint(system);
  // Enough mails to make some wait for the scheduler.
  const template = await system.publishEmail({ subject: "Many", html: "<p>Hi" });
  const to = Array.from({ length: 11 }, (_, n) => ({ email: `r${n}@many.example` }));
  await system.send({ template, integration, to });
  const points = await until(() => {
    const arrived = new Set(telemetry.points.map(({ metric }) => metric));
    const isMissing = (name: string) => !RARE.includes(name) && !arrived.has(name);
    return !Object.keys(METRICS).some(isMissing) && telemetry.points;
  }, { message: "every metric to arrive" }).catch((error) => {
    const arrived = new Set(telemetry.points.map(({ metric }) => metric));
    throw new Error(Object.keys(METRICS).filter((name) => !arrived.has(name)).join(), {
      cause: error,
    });
  });
  const declared: Record<string, MetricDefinition> = METRICS;
  for (const { service, metric, attributes } of points) {
    const allowed: readonly string[] = declared[metric]?.attributes ?? [];
    const others = Object.keys(attributes).filter((name) => !allowed.includes(name));
    assert.deepEqual([service, metric, others], [service, metric, []]);
  }
  assert.ok(
    points.some(({ metric, attributes }) =>
      metric === "posthaste.smtp.outcomes" && attributes["posthaste.outcome"] === "sent" &&
      attributes["smtp.response.status_class"] === "2xx" &&
      attributes["posthaste.integration"] === `${system.accountId}/${integration}`
    ),
  );
});

test("Prometheus reads the length and the age of every queue from the tracker's health port", async () => {
  const text = await metricsOf("tracker");
  for (const stage of ["renderer", "pdf", "mailer"]) {
    for (const priority of ["transactional", "bulk"]) {
      const labels = `posthaste_stage="${stage}",posthaste_priority="${priority}",` +
        `messaging_consumer_group_name="${stage}_${priority}"`;
      assert.match(text, new RegExp(`^posthaste_queue_messages\\{${labels}\\} \\d+$`, "m"));
      assert.match(
        text,
        new RegExp(`^posthaste_queue_oldest_age_seconds\\{${labels}\\} [\\d.]+$`, "m"),
      );
    }
  }
  assert.match(
    text,
    /^posthaste_stream_limit_bytes\{posthaste_stream="MAIL",posthaste_stream_kind="queue"\} 1073741824$/m,
  );
  assert.match(text, /^posthaste_ledger_disk_limit_bytes \d+$/m);
});

test("exemplars on the health port lead to traces that were exported", async () => {
  const text = await metricsOf("mailer");
  const ids = [...text.matchAll(
    /^(?:posthaste_smtp_duration|messaging_process_duration)_seconds_bucket\{.* # \{trace_id="(\w+)"/gm,
  )].map(([, id]) => id);
  assert.ok(ids.length > 0);
  const known = () => new Set(telemetry.spans.map(({ traceId }) => traceId));
  await until(() => ids.every((id) => known().has(id ?? "")));
});

test("nothing personal is on the health ports", async () => {
  for (const service of ["api", "renderer", "pdf", "mailer", "tracker"]) {
    const text = await metricsOf(service);
    assert.ok(text.includes(`service_name="${service}"`));
    assert.doesNotMatch(text, /zqcanary|@/);
  }
});
