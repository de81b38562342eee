import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  openOtlpReceiver,
  openSmtpSink,
  type OtlpReceiver,
  type ReceivedSpan,
  type SmtpSink,
  until,
} from "@posthaste/testing";
import { openSystem, SENDER, type System } from "./system.ts";
import { openTimeTravel } from "./time_travel.ts";

const KINDS = { server: 2, client: 3, consumer: 5 } as const;

let system: System;
let sink: SmtpSink;
let telemetry: OtlpReceiver;
let integration: number;
let opened: AsyncDisposableStack;

before(async () => {
  await using stack = new AsyncDisposableStack();
  telemetry = stack.use(await openOtlpReceiver());
  sink = stack.use(await openSmtpSink());
  system = stack.use(await openSystem({ env: { ...telemetry.env, LOG_LEVEL: "debug" } }));
  integration = await system.connect(sink.port);
  opened = stack.move();
});
after(() => opened?.disposeAsync());

/** A trace as a caller begins it. */
const caller = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };

async function spansOf(traceId: string, enough: (spans: ReceivedSpan[]) => boolean) {
  return await until(() => {
    const spans = telemetry.spans.filter((span) => span.traceId === traceId);
    return enough(spans) && spans;
  }, { timeoutMs: 10_000, message: "the spans to be exported" });
}

test("one trace leads from the caller's request through every service to the SMTP reply", async () => {
  const template = await system.publishEmail({ subject: "Traced", html: "<p>Hi {{ n }}" });
  const pdf = await system.publishPdf({ html: "<p>PDF {{ n }}" });
  const { id } = await system.send({
    template,
    integration,
    to: [{ email: "jane@traced.example", attachments: [{ id: pdf, variables: { n: 1 } }] }],
  }, { headers: { traceparent: `00-${caller.traceId}-${caller.spanId}-01` } });
  await system.untilResting(id);
  const spans = await spansOf(
    caller.traceId,
    (found) =>
      found.some(({ name }) => name === "smtp.send") && found.some(({ kind }) => kind === 2) &&
      ["renderer", "pdf", "mailer"].every((service) =>
        found.some((one) => one.service === service)
      ),
  );

  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const smtp = spans.find(({ name }) => name === "smtp.send");
  const way: ReceivedSpan[] = [];
  for (let span = smtp; span !== undefined; span = byId.get(span.parentSpanId)) way.unshift(span);
  // Spans inside of a service may come and go; the hops between them are what is promised.
  const hops = way.filter(({ kind }) => Object.values<number>(KINDS).includes(kind));
  assert.deepEqual(hops.map(({ service, name, kind }) => [service, name, kind]), [
    ["api", "POST /v1/templates/{templateId}/send/{integrationId}", KINDS.server],
    ["renderer", "process send.requested", KINDS.consumer],
    ["pdf", "process message.rendered", KINDS.consumer],
    ["mailer", "process message.printed", KINDS.consumer],
    ["mailer", "smtp.send", KINDS.client],
  ]);
  assert.equal(way[0]?.parentSpanId, caller.spanId);

  const [request, ...rest] = hops;
  assert.equal(request?.attributes["http.request.method"], "POST");
  assert.equal(
    request?.attributes["http.route"],
    "/v1/templates/{templateId}/send/{integrationId}",
  );
  assert.equal(Number(request?.attributes["http.response.status_code"]), 200);
  for (const { attributes, name } of rest.slice(0, 3)) {
    assert.equal(attributes["messaging.system"], "nats");
    assert.equal(attributes["messaging.operation.type"], "process");
    assert.equal(attributes["messaging.destination.name"], name.split(" ")[1]);
  }
  assert.equal(smtp?.attributes["server.address"], "127.0.0.1");
  assert.equal(Number(smtp?.attributes["server.port"]), sink.port);
  assert.equal(Number(smtp?.attributes["smtp.response.status_code"]), 250);
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
  await using travel = openTimeTravel(system.stack.mongodbUrl);
  await using _again = await openSmtpSink({ port });
  await travel.endDeferral(id);
  await until(async () => (await system.message(messages[0]?.id ?? "")).state === "sent", {
    timeoutMs: 10_000,
    message: "the mail to be sent",
  });
  const attempts = (found: ReceivedSpan[]) => found.filter(({ name }) => name === "smtp.send");
  const spans = await spansOf(traceId, (found) => attempts(found).length === 2);
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
  assert.deepEqual((await system.untilResting(good.id)).states, { sent: 2 });
  assert.deepEqual((await system.untilResting(refused.id)).states, { failed: 1 });
  assert.deepEqual((await system.untilResting(unfilled.id)).states, { failed: 1 });
  assert.ok(sink.messages.some(({ raw }) => raw.includes(canary)), "the canary flew");
  const before = telemetry.bodies.length;
  await until(() => telemetry.bodies.length > before + 4, { timeoutMs: 5000 });

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
