import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openTestStore, type TestStore } from "./_test_store.ts";
import type { Store } from "./store.ts";

let opened: TestStore;
let store: Store;
before(async () => {
  opened = await openTestStore();
  ({ store } = opened);
});
after(() => opened[Symbol.asyncDispose]());

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));
const pauseMs = (failures: number) => failures < 5 ? 0 : 30_000;
const reason = "refused";

test("noteTrouble() counts failures of many processes, and none while the server is left alone", async () => {
  const note = (now: Date) => store.noteTrouble({ id: "acc_1/1", reason, now, pauseMs });
  for (let n = 0; n < 4; n++) await note(at(n));
  assert.deepEqual(await store.listTroubled(), [
    { _id: "acc_1/1", failures: 4, openUntil: null, reason },
  ]);
  assert.deepEqual((await note(at(5)))?.openUntil, at(35));
  const during = await Promise.all(Array.from({ length: 20 }, () => note(at(6))));
  assert.deepEqual(new Set(during.map((trouble) => trouble?.failures)), new Set([5]));
  assert.deepEqual((await note(at(35)))?.failures, 6);
  await store.clearTrouble("acc_1/1");
  assert.deepEqual(await store.listTroubled(), []);
});

test("noteTrouble() counts first failures that come at once", async () => {
  const now = at(0);
  await Promise.all(
    Array.from({ length: 12 }, () => store.noteTrouble({ id: "acc_1/2", reason, now, pauseMs })),
  );
  const [trouble] = await store.listTroubled();
  assert.deepEqual(trouble?.openUntil, at(30));
  assert.ok((trouble?.failures ?? 0) >= 5);
});

test("liveMailers() lists in one order who announced itself lately", async () => {
  for (const id of ["b", "a", "c"]) await store.announceMailer(id);
  assert.deepEqual(await store.liveMailers(5000), ["a", "b", "c"]);
  await store.dismissMailer("b");
  await delay(60);
  await store.announceMailer("c");
  assert.deepEqual(await store.liveMailers(50), ["c"]);
});
