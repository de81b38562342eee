import assert from "node:assert/strict";
import { test } from "node:test";
import { createAccountRuns } from "./account_runs.ts";
import { createFairSlots } from "./fair_slots.ts";

/** Prints documents of accounts, and returns the accounts in the order of their turns. */
async function orderOf(accounts: string[], { places = 1 } = {}): Promise<string> {
  const slots = createAccountRuns(createFairSlots(places), places);
  let order = "";
  await Promise.all(accounts.map(async (accountId) => {
    using _place = await slots.take({ accountId, priority: "transactional" });
    order += accountId;
    await new Promise((resolve) => setImmediate(resolve));
  }));
  assert.equal(slots.waiting, 0);
  return order;
}

test("createAccountRuns() gives an account its turns one after the other", async () => {
  assert.equal(await orderOf([..."abcabcabc"]), "aaabbbccc");
});

test("createAccountRuns() ends a run after ten documents if others wait", async () => {
  const many = "a".repeat(25);
  assert.equal(await orderOf([...many, "b"]), `${"a".repeat(10)}b${"a".repeat(15)}`);
});

test("createAccountRuns() assigns every slot to an account that is alone", async () => {
  const slots = createAccountRuns(createFairSlots(2), 2);
  const take = () => slots.take({ accountId: "a", priority: "transactional" });
  const places = await Promise.all([take(), take()]);
  const third = take();
  assert.equal(slots.waiting, 1);
  for (const place of places) place[Symbol.dispose]();
  (await third)[Symbol.dispose]();
  assert.equal(slots.waiting, 0);
});

test("createAccountRuns() gives an account another free slot while it holds one", async () => {
  const slots = createAccountRuns(createFairSlots(4), 4);
  const held: Disposable[] = [];
  for (let n = 1; n <= 3; n++) {
    // One after the other, while those before are at work.
    void slots.take({ accountId: "a", priority: "transactional" }).then((slot) => held.push(slot));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(held.length, n);
  }
});

test("createAccountRuns() takes turns again after every account had one", async () => {
  const slots = createAccountRuns(createFairSlots(1), 1);
  for (const accountId of ["a", "b", "a"]) {
    using _place = await slots.take({ accountId, priority: "bulk" });
  }
  assert.equal(slots.waiting, 0);
});
