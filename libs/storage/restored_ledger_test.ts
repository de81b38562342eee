import { losingWrites, takeAttempt, testSend, voidAttempt } from "@posthaste/kit";
import { messageIdOf } from "@posthaste/contracts";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openTestStore, type TestStore } from "./_test_store.ts";

let opened: TestStore;
before(async () => void (opened = await openTestStore()));
after(() => opened[Symbol.asyncDispose]());

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));

/** Accepts a message, and begins to defer it. The backup is taken before its outcome is written. */
async function beginDeferral(nextAt: Date) {
  const { store } = opened;
  const send = testSend();
  await store.sends.accept(send);
  const messageId = messageIdOf(send._id, 0);
  const registers = {
    ...store.registers,
    ledgerOf: losingWrites(store.registers.ledgerOf, () => true),
  };
  const deferral = { messageId, attempt: 1, at: at(1), nextAt, reason: "busy" };
  await assert.rejects(voidAttempt({ ...store, registers }, "deferred", deferral), /closed/);
  return { store, accountId: send.accountId, messageId };
}

test("holdUnfinished() holds a message whose deferral was only begun: it may have been sent since", async () => {
  const { store, accountId, messageId } = await beginDeferral(at(60));
  for await (const _ of store.restored.holdUnfinished({ now: at(7200), lostAt: at(3600) }));
  const found = await store.messages.find(accountId, messageId);
  assert.equal(found?.state, "unknown", "the lost system may have sent it after a minute");
  assert.equal(await takeAttempt(store, { messageId, attempt: 2 }), false);
});

test("holdUnfinished() counts only what it holds, and none whose begun outcome it completed", async () => {
  // The lost system did not try it again: its next attempt was after the loss.
  const { store, accountId, messageId } = await beginDeferral(at(5000));
  const counts: number[] = [];
  const holding = store.restored.holdUnfinished({ now: at(7200), lostAt: at(3600) });
  for await (const count of holding) counts.push(count);
  const found = await store.messages.find(accountId, messageId);
  assert.deepEqual([found?.state, counts.at(-1)], ["deferred", 0]);
});
