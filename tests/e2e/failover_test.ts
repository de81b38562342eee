/** Fail-over to another integration: what goes where, and that nothing goes twice. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { freePort } from "@posthaste/embedded";
import { openFaultySmtp, openSmtpSink, until } from "@posthaste/kit";
import { type JoinedSystem, joinSystem } from "./shared_system.ts";
import { openTimeTravel, type TimeTravel } from "./time_travel.ts";

let system: JoinedSystem;
let travel: TimeTravel;
let template: number;
let opened: AsyncDisposableStack;

before(async () => {
  await using stack = new AsyncDisposableStack();
  system = stack.use(await joinSystem());
  travel = stack.use(openTimeTravel(system));
  template = await system.publishEmail({ alias: "note", subject: "Note", html: "<p>Note" });
  opened = stack.move();
});
after(() => opened?.disposeAsync());

const to = [{ email: "jane@reader.example" }];

async function sendOne(integration: number) {
  const { id, messages } = await system.send({ template, integration, to });
  await system.untilResting(id);
  return { sendId: id, messageId: messages[0]?.id ?? "" };
}

/** Makes the next attempt due, and waits until it has ended. */
async function nextAttempt({ sendId, messageId }: { sendId: string; messageId: string }) {
  const { attempt } = await system.message(messageId);
  await travel.endDeferral(sendId);
  await until(async () => (await system.message(messageId)).attempt > attempt);
  await system.untilResting(sendId);
  return await system.message(messageId);
}

describe("fail-over between integrations", { concurrency: true }, () => {
  test("mail of a server that is down arrives once, by the fallback, and goes to the server when it is back", async () => {
    await using second = await openSmtpSink();
    const port = await freePort();
    const fallback = await system.connect(second.port);
    const integration = await system.connect(port, { fallbacks: [fallback] });
    const sent = await sendOne(integration);
    const deferred = await system.message(sent.messageId);
    assert.deepEqual([deferred.state, deferred.attempt], ["deferred", 1]);
    const message = await nextAttempt(sent);
    assert.equal(message.state, "sent");
    assert.equal(second.messages.length, 1);
    assert.deepEqual(
      message.timeline.filter(({ type }) => type !== "rendered")
        .map(({ type, integrationId }) => [type, integrationId]),
      [
        ...[["queued", undefined], ["sending", undefined], ["deferred", undefined]],
        ...[["sending", fallback], ["sent", fallback]],
      ],
    );

    await using first = await openSmtpSink({ port });
    await system.untilDone((await sendOne(integration)).sendId);
    assert.deepEqual([first.messages.length, second.messages.length], [1, 1]);
  });

  test("mail that waits for a suspended integration goes by the fallback; of a paused one it waits", async () => {
    await using second = await openSmtpSink();
    const { store, accountId } = system;
    const fallback = await system.connect(second.port);
    const integration = await system.connect(await freePort(), { fallbacks: [fallback] });
    const at = new Date();
    await store.integrations.pause(accountId, integration, { at, reason: "holiday" });
    const { id, messages } = await system.send({
      ...{ template, integration },
      to: Array.from({ length: 30 }, (_, n) => ({ email: `r${n}@reader.example` })),
    });
    // Long enough for several rounds of the scheduler.
    await new Promise((resolve) => setTimeout(resolve, 3000));
    assert.equal(second.messages.length, 0);
    assert.equal((await system.message(messages[0]?.id ?? "")).state, "queued");

    const found = await store.integrations.find(accountId, integration);
    assert.ok(found);
    await store.integrations.resume(accountId, integration);
    await store.integrations.suspend(found, { at, reason: "login refused", kind: "refused" });
    const { states } = await system.untilDone(id);
    assert.deepEqual(states, { sent: 30 });
    const recipients = second.messages.map(({ envelope }) => envelope.to[0]);
    assert.equal(recipients.length, 30);
    assert.equal(new Set(recipients).size, 30);
  });

  test("a mail with an unknown outcome never goes by the fallback", async () => {
    await using second = await openSmtpSink();
    await using first = await openSmtpSink({
      script: ({ stage }) => stage === "dot" ? { drop: true } : undefined,
    });
    const fallback = await system.connect(second.port);
    for (const whenUnknown of ["hold", "retry"] as const) {
      const integration = await system.connect(first.port, { fallbacks: [fallback], whenUnknown });
      const sent = await sendOne(integration);
      const { state } = await system.message(sent.messageId);
      assert.equal(state, whenUnknown === "hold" ? "unknown" : "deferred");
      if (whenUnknown === "hold") continue;
      // Not even while its server is certainly away.
      const found = await system.store.integrations.find(system.accountId, integration);
      assert.ok(found);
      const suspended = { at: new Date(), reason: "login refused", kind: "refused" as const };
      await system.store.integrations.suspend(found, suspended);
      await travel.endDeferral(sent.sendId);
      await new Promise((resolve) => setTimeout(resolve, 3000));
      assert.equal((await system.message(sent.messageId)).attempt, 1);
    }
    assert.equal(second.messages.length, 0);
  });

  test("mail waits if the fallback may not send as its sender", async () => {
    await using second = await openSmtpSink();
    const fallback = await system.connect(second.port, { senders: ["other@sender.example"] });
    const integration = await system.connect(await freePort(), { fallbacks: [fallback] });
    const message = await nextAttempt(await sendOne(integration));
    assert.deepEqual([message.state, message.attempt], ["deferred", 2]);
    assert.equal(second.messages.length, 0);
  });

  test("a recipient that a server refuses for ever is not asked of the fallback", async () => {
    await using second = await openSmtpSink();
    await using first = await openFaultySmtp({
      plan: ({ stage }) =>
        stage === "rcpt" ? { do: "reply", reply: "550 5.1.1 No such user" } : undefined,
    });
    const fallback = await system.connect(second.port);
    const integration = await system.connect(first.port, { fallbacks: [fallback] });
    const { messageId } = await sendOne(integration);
    assert.equal((await system.message(messageId)).state, "failed");
    assert.equal(second.messages.length, 0);
  });
});
