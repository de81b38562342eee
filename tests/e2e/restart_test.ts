import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { SendAccepted } from "@posthaste/contracts";
import { openBus } from "@posthaste/messaging";
import { nightly, openSmtpSink, type SmtpSink, type SunkMessage, until } from "@posthaste/kit";
import { openSystem, type Recipient, SENDER, type System } from "./system.ts";
import { openTimeTravel, type TimeTravel } from "./time_travel.ts";
import type { ServiceName } from "@posthaste/dev";

nightly("tests/chaos/short_test.ts");

let system: System;
let sink: SmtpSink;
let travel: TimeTravel;
let path: string;
let pdf: number;
let opened: AsyncDisposableStack;

before(async () => {
  await using stack = new AsyncDisposableStack();
  // Mails are in flight for a while, so that a kill affects some.
  sink = stack.use(
    await openSmtpSink({
      script: ({ stage }) => stage === "dot" ? { delayMs: 40 } : undefined,
    }),
  );
  const settings = {
    tracker: { RECONCILE_INTERVAL: "200ms", RECONCILE_GRACE: "4s" },
    mailer: { TRANSFER_TIMEOUT: "5s", REPLY_TIMEOUT: "2s" },
  };
  system = stack.use(await openSystem({ settings }));
  travel = stack.use(openTimeTravel(system));
  // A killed worker's events are redelivered after 3 s instead of 30 s.
  await using bus = await openBus({ url: system.stack.natsUrl, name: "e2e" });
  await bus.applyTopology({ ackWaitMs: 3000 });
  const integration = await system.connect(sink.port);
  const template = await system.publishEmail({ subject: "No {{ n }}", html: "<p>{{ n }}" });
  pdf = await system.publishPdf({ html: "<p>PDF {{ n }}" });
  path = `/templates/${template}/send/${integration}`;
  opened = stack.move();
});
after(() => opened?.disposeAsync());

/** Makes recipients at a domain, every fourth with a PDF of its own. */
function recipients(domain: string, { from, count }: { from: number; count: number }): Recipient[] {
  return Array.from({ length: count }, (_, i) => ({
    email: `n${from + i}@${domain}`,
    variables: { n: from + i },
    ...((from + i) % 4 === 0 ? { attachments: [{ id: pdf }] } : {}),
  }));
}

/** Repeats a request until the answer is 200, as a caller that must neither lose nor duplicate it. */
function sendSurely(key: string, to: Recipient[]): Promise<SendAccepted> {
  return until(async () => {
    const answer = await system.post<SendAccepted>(path, { from: { email: SENDER }, to }, {
      headers: { "idempotency-key": key },
    });
    return answer.status === 200 && answer.body;
  }, { everyMs: 100, message: `"${key}" to be accepted` });
}

/** Waits until every mail is sent; the planned looks of the reconciler come early. */
async function untilAllSent(sends: SendAccepted[], timeoutMs: number): Promise<void> {
  let nextReconciliation = 0;
  await until(async () => {
    if (performance.now() > nextReconciliation) {
      await travel.reconcileNow();
      nextReconciliation = performance.now() + 3000;
    }
    const views = await Promise.all(sends.map(({ id }) => system.untilResting(id, 1000)));
    return views.every(({ states, messageCount }) => states.sent === messageCount);
  }, { timeoutMs, everyMs: 200, message: "every mail to be sent" });
}

/** Returns the mails to a domain, by their recipient. */
function arrivals(domain: string): Map<string, SunkMessage[]> {
  const mails = sink.messages.filter(({ envelope }) => envelope.to[0]?.endsWith(`@${domain}`));
  return Map.groupBy(mails, ({ envelope }) => envelope.to.join());
}

test("every mail arrives although each service is killed, once unless the mailer was killed", async () => {
  const domain = "killed.example";
  const sends: SendAccepted[] = [];
  async function flow(): Promise<void> {
    let from = 0;
    for (let part = 0; from < 200; part++) {
      // Every sixth goes by the priority of large sends.
      const count = Math.min(part % 6 === 5 ? 20 : 4, 200 - from);
      sends.push(await sendSurely(`part-${part}`, recipients(domain, { from, count })));
      from += count;
      await delay(220);
    }
  }
  const inFlight = new Set<string>();
  async function end(name: ServiceName, signal: "SIGKILL" | "SIGTERM"): Promise<number | string> {
    const service = system.stack.services.get(name);
    service?.signal(signal);
    const reason = await service?.exited;
    if (name === "mailer" && signal === "SIGKILL") {
      // The last writes of the killed process may still be on their way into the ledger.
      await delay(200);
      for (const id of await travel.idsIn("sending")) inFlight.add(id);
    }
    await system.stack.restart(name);
    return reason ?? "";
  }
  async function chaos(): Promise<void> {
    await delay(300);
    for (const name of ["mailer", "renderer", "pdf", "tracker", "api"] as const) {
      assert.equal(await end(name, "SIGKILL"), "SIGKILL");
    }
    assert.equal(await end("mailer", "SIGTERM"), 0);
  }
  await Promise.all([flow(), chaos()]);
  assert.equal(sends.reduce((sum, { messages }) => sum + messages.length, 0), 200);
  await untilAllSent(sends, 25_000);

  const arrived = arrivals(domain);
  const idOf = new Map(
    sends.flatMap(({ messages }) => messages.map(({ email, id }) => [email, id])),
  );
  assert.deepEqual([...arrived.keys()].sort(), [...idOf.keys()].sort());
  for (const [email, mails] of arrived) {
    for (const { raw } of mails) {
      assert.deepEqual(raw, mails[0]?.raw, `duplicates to ${email} differ`);
    }
    // SMTP's one gap: a mailer that dies between the final dot and the ledger cannot know.
    if (mails.length > 1) assert.ok(inFlight.has(idOf.get(email) ?? ""), `${email} came twice`);
    assert.ok(mails.length <= 2);
  }
});

test("every mail arrives once although the broker loses all its data", async () => {
  const domain = "amnesia.example";
  const { nats, masterKeyFile } = system.stack;
  assert.ok(nats);
  const sends: SendAccepted[] = [];
  const send = async (from: number, count: number) => {
    sends.push(await sendSurely(`amnesia-${from}`, recipients(domain, { from, count })));
  };
  await Promise.all([send(0, 8), send(8, 20), send(28, 4)]);
  await nats.kill();
  assert.ok(arrivals(domain).size < 32, "the broker still holds some");
  await rm(join(dirname(masterKeyFile), "nats", "jetstream"), { recursive: true });
  await Promise.all([send(32, 8), send(40, 20)]);
  await nats.restart();
  await Promise.all([send(60, 8), send(68, 12)]);
  await untilAllSent(sends, 30_000);

  const arrived = arrivals(domain);
  assert.equal(arrived.size, 80);
  for (const [email, mails] of arrived) assert.equal(mails.length, 1, email);
});
