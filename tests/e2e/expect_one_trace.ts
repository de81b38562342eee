import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { type OtlpReceiver, type ReceivedSpan, type SmtpSink, until } from "@posthaste/kit";
import type { AccountOfSystem } from "./system.ts";

const KINDS = { server: 2, client: 3, consumer: 5 } as const;

/** The system and collector of a trace. */
export interface Traced {
  system: AccountOfSystem;
  telemetry: OtlpReceiver;
  sink: SmtpSink;
  integration: number;
}

/** Returns the spans of a trace, as soon as there are enough. */
export async function spansOf(
  telemetry: OtlpReceiver,
  traceId: string,
  enough: (spans: ReceivedSpan[]) => boolean,
): Promise<ReceivedSpan[]> {
  return await until(() => {
    const spans = telemetry.spans.filter((span) => span.traceId === traceId);
    return enough(spans) && spans;
  }, { message: "the spans to be exported" });
}

/**
 * Sends a mail with a PDF in a trace that the caller begins, and checks that it leads from the HTTP request
 * through every process to the SMTP reply, and that the tracker's spans are linked.
 */
export async function expectOneTrace({ system, telemetry, sink, integration }: Traced) {
  const caller = { traceId: randomBytes(16).toString("hex"), spanId: "00f067aa0ba902b7" };
  const template = await system.publishEmail({ subject: "Traced", html: "<p>Hi {{ n }}" });
  const pdf = await system.publishPdf({ html: "<p>PDF {{ n }}" });
  const { id } = await system.send({
    template,
    integration,
    to: [{ email: "jane@traced.example", attachments: [{ id: pdf, variables: { n: 1 } }] }],
  }, { headers: { traceparent: `00-${caller.traceId}-${caller.spanId}-01` } });
  await system.untilDone(id);
  const spans = await spansOf(
    telemetry,
    caller.traceId,
    (found) =>
      found.some(({ name }) => name === "smtp.send") && found.some(({ kind }) => kind === 2) &&
      ["renderer", "pdf", "mailer"].every((service) =>
        found.some((one) => one.service === service && one.kind === KINDS.consumer)
      ),
  );

  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const smtp = spans.find(({ name }) => name === "smtp.send");
  const way: ReceivedSpan[] = [];
  for (let span = smtp; span !== undefined; span = byId.get(span.parentSpanId)) way.unshift(span);
  // Spans inside of a service may change; only the hops between services are guaranteed.
  const hops = way.filter(({ kind }) => Object.values<number>(KINDS).includes(kind));
  assert.deepEqual(hops.map(({ service, name, kind }) => [service, name, kind]), [
    ["api", "POST /v1/templates/{templateId}/send/{integrationId}", KINDS.server],
    ["renderer", "process send.requested", KINDS.consumer],
    ["pdf", "process messages.rendered", KINDS.consumer],
    ["mailer", "process messages.printed", KINDS.consumer],
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

  for (
    const [service, operation] of [["api", "sends.accept"], ["mailer", "insertRegister"], [
      "mailer",
      "writeOutcome",
    ]]
  ) {
    const found = spans.find((span) => span.service === service && span.name === operation);
    assert.equal(found?.kind, KINDS.client);
    assert.equal(found.attributes["db.system.name"], "mongodb");
    assert.equal(found.attributes["db.operation.name"], operation);
  }
  // Status events of many messages are recorded together: such a batch is linked to the trace of each.
  const recorded = await until(
    () =>
      telemetry.spans.find(({ service, links }) =>
        service === "tracker" && links.includes(caller.traceId)
      ),
    { message: "the tracker's batch to be linked" },
  );
  assert.equal(recorded.name, "process status event");
}
