import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testSend } from "@posthaste/kit";
import { batchOf, examinedBy, openTestStore, type TestStore } from "./_test_store.ts";
import type { SendFilter } from "./send_search.ts";

const ACCOUNT = "acc_1";
const DAY = (day: number) => new Date(Date.UTC(2026, 0, day));

let opened: TestStore;
before(async () => {
  opened = await openTestStore();
});
after(() => opened[Symbol.asyncDispose]());

function accept(acceptedAt: Date, marks: { reference?: string; tags?: string[] } = {}) {
  const to = [{ email: "jane@example.net" }];
  const request = { from: { email: "shop@example.com" }, to, ...marks };
  return opened.store.sends.accept(testSend({ accountId: ACCOUNT, acceptedAt, request }));
}

test("sends.search() reads the sends with a reference or a tag alone, and no others", async () => {
  const { store, db } = opened;
  for (let count = 0; count < 100; count++) await accept(DAY(1 + count % 28));
  const marks = { reference: "order-1", tags: ["vip"] };
  for (const day of [3, 9]) await accept(DAY(day), marks);
  const cases: [filter: SendFilter, found: number][] = [
    [{ reference: "order-1" }, 2],
    [{ tag: "vip" }, 2],
    [{ tag: "vip", from: DAY(4), until: DAY(10) }, 1],
    [{ batchId: batchOf()._id }, 0],
  ];
  for (const [filter, count] of cases) {
    let found = -1;
    const examined = await examinedBy(db, "sends", async () => {
      found = (await store.sends.search(ACCOUNT, filter, { limit: 10 })).sends.length;
    });
    assert.deepEqual([found, examined], [count, count], JSON.stringify(filter));
  }
});
