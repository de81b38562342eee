import { messageIdOf, newSendId } from "@posthaste/contracts";
import { openBus } from "@posthaste/messaging";
import { openStore } from "@posthaste/storage";
import { endAttempt, openTestMongo, openTestNats, takeAttempt } from "@posthaste/kit";
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertCurrent, openLedgerAge } from "./ledger_age.ts";

test("assertCurrent() detects a restored ledger, until its unfinished messages are held", async () => {
  await using mongo = await openTestMongo();
  await using store = await openStore({ url: mongo.url });
  await store.ensureIndexes();
  await using nats = await openTestNats();
  await using bus = await openBus({ url: nats.url, name: "test" });
  await bus.applyTopology();
  const deps = { ...store, lastSent: () => bus.lastSent() };
  const { _id: accountId } = await store.accounts.create({ name: "shop" });
  const [first, second] = [await accept(), await accept()];

  // Nothing was sent yet.
  await assertCurrent(deps);
  const reply = { code: 250, response: "250 OK" };
  const outcome = { messageId: first, attempt: 1, at: new Date(), reply };
  assert.ok(await endAttempt(store, "sent", outcome));
  await reportSent(first);
  await assertCurrent(deps);
  // The state of another ledger.
  await reportSent(second);
  await assert.rejects(
    assertCurrent(deps),
    new RegExp(`lacks that ${second} was sent .* "posthaste restored hold"`),
  );
  await Array.fromAsync(store.restored.holdUnfinished({ now: new Date(), lostAt: new Date() }));
  await assertCurrent(deps);
  // It was restored once more.
  await reportSent(await accept());
  await assert.rejects(assertCurrent(deps), /it lacks that msg_/);

  async function accept(): Promise<string> {
    const now = new Date();
    const sendId = newSendId(accountId, now);
    await store.sends.accept({
      ...{ _id: sendId, accountId, acceptedAt: now, priority: "transactional", messageCount: 1 },
      ...{ template: { id: 1, version: 1 }, pdfVersions: {}, integrationId: 1 },
      request: { from: { email: "a@example.com" }, to: [{ email: "b@example.com" }] },
      ...{ settledAt: null, reconcileAt: now },
    });
    const messageId = messageIdOf(sendId, 0);
    assert.ok(await takeAttempt(store, { messageId, attempt: 1 }));
    return messageId;
  }

  async function reportSent(messageId: string): Promise<void> {
    await bus.publish({
      type: "status.message.sent",
      data: {
        v: 2,
        facts: [{
          ...{ accountId, messageId, sendId: `snd_${messageId.slice(4, -4)}`, index: 0 },
          ...{ attempt: 1, at: new Date().toISOString(), durationMs: 5, reply },
        }],
      },
    });
  }
});

test("openLedgerAge() checks once a second, and never again once the ledger was restored", async () => {
  let now = 0;
  let asked = 0;
  let isOlder = false;
  const assertCurrent = openLedgerAge({
    lastSent: () => {
      asked++;
      return Promise.resolve({ accountId: "acc_1", messageId: "msg_1", at: new Date(0) });
    },
    restored: {
      isOlderThan: () => Promise.resolve(isOlder),
    },
  }, { clock: { now: () => now } });
  await Promise.all([assertCurrent(), assertCurrent()]);
  now += 999;
  await assertCurrent();
  assert.equal(asked, 1);
  isOlder = true;
  now += 1;
  await assert.rejects(assertCurrent(), /it lacks that msg_/);
  // New mail was sent: the ledger knows the last one, but not those before.
  isOlder = false;
  now += 60_000;
  await assert.rejects(assertCurrent(), /it lacks that msg_/);
  assert.equal(asked, 2);
});

test("openLedgerAge() asks again after an outage", async () => {
  let isAway = true;
  const assertCurrent = openLedgerAge({
    lastSent: () => isAway ? Promise.reject(new Error("away")) : Promise.resolve(undefined),
    restored: { isOlderThan: () => Promise.resolve(true) },
  });
  await assert.rejects(assertCurrent(), /away/);
  isAway = false;
  await assertCurrent();
});
