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

test("countFailure() counts failures of many processes, and none while the circuit is open", async () => {
  const note = (now: Date) => store.circuits.countFailure({ id: "acc_1/1", reason, now, pauseMs });
  for (let n = 0; n < 4; n++) await note(at(n));
  assert.deepEqual(await store.circuits.list(), [
    { _id: "acc_1/1", failures: 4, openUntil: null, reason },
  ]);
  assert.deepEqual((await note(at(5))).circuit.openUntil, at(35));
  const during = await Promise.all(Array.from({ length: 20 }, () => note(at(6))));
  assert.deepEqual(new Set(during.map(({ circuit }) => circuit.failures)), new Set([5]));
  assert.deepEqual((await note(at(35))).circuit.failures, 6);
  await store.circuits.close("acc_1/1");
  assert.deepEqual(await store.circuits.list(), []);
});

test("countFailure() counts concurrent first failures", async () => {
  const now = at(0);
  await Promise.all(
    Array.from(
      { length: 12 },
      () => store.circuits.countFailure({ id: "acc_1/2", reason, now, pauseMs }),
    ),
  );
  const [circuit] = await store.circuits.list();
  assert.deepEqual(circuit?.openUntil, at(30));
  assert.equal(circuit?.failures, 5);
});

test("countFailure() opens a circuit once and for the first pause, though many fail at the same time", async () => {
  const id = "acc_1/4";
  const note = (now: Date) =>
    store.circuits.countFailure({
      ...{ id, reason, now },
      pauseMs: (failures) => failures < 5 ? 0 : 30_000 * 2 ** (failures - 5),
    });
  const counted = await Promise.all(Array.from({ length: 40 }, () => note(at(0))));
  assert.equal(counted.filter(({ isOpened }) => isOpened).length, 1);
  assert.deepEqual(await store.integrations.findCircuit("acc_1", 4), {
    ...{ _id: id, failures: 5, openUntil: at(30), reason },
  });
  const probes = await Promise.all(Array.from({ length: 10 }, () => note(at(30))));
  assert.ok(!probes.some(({ isOpened }) => isOpened), "a failed probe opens nothing new");
  assert.deepEqual((await store.integrations.findCircuit("acc_1", 4))?.openUntil, at(90));
});

test("noteRefusedLogin() makes an integration wait, and reports when a minute did not help", async () => {
  const id = "acc_1/3";
  const refused = (seconds: number) =>
    store.circuits.noteRefusedLogin({
      id,
      reason: "login refused",
      now: at(seconds),
      retryMs: 60_000,
    });
  // Several mailers, and mail that was in flight.
  const first = await Promise.all(Array.from({ length: 12 }, () => refused(0)));
  assert.deepEqual(new Set([...first, await refused(59)]), new Set([false]));
  const [circuit] = (await store.circuits.list()).filter(({ _id }) => _id === id);
  assert.deepEqual(circuit?.openUntil, at(60));
  assert.deepEqual(circuit?.loginRefusedAt, at(0));
  // Other failures meanwhile do not erase it.
  await store.circuits.countFailure({ id, reason, now: at(60), pauseMs });
  assert.equal(await refused(61), true);
  const lines = await store.integrations.listEvents("acc_1", 3, { limit: 9 });
  assert.deepEqual(lines.map(({ type }) => type), ["login_refused"]);
  await store.circuits.close(id);
  assert.equal(await refused(62), false, "it was accepted in between");
  await store.circuits.close(id);
});

test("updateIntegration() has a new login tried immediately, and its first refusal counts as the first", async () => {
  const { _id, accountId, id } = await store.integrations.create({
    ...{ accountId: "acc_7", name: "main", host: "smtp.example.com", port: 587, tls: "starttls" },
    ...{ auth: null, senders: ["shop@example.com"] },
  });
  const refused = (seconds: number) =>
    store.circuits.noteRefusedLogin({ id: _id, reason, now: at(seconds), retryMs: 60_000 });
  await refused(0);
  await store.integrations.update(accountId, id, { port: 465 });
  assert.equal(await store.integrations.findCircuit(accountId, id), null);
  assert.equal(await refused(90), false);
});

test("liveMailers() lists in one order the mailers that announced themselves lately", async () => {
  for (const id of ["b", "a", "c"]) await store.mailers.announce(id);
  assert.deepEqual(await store.mailers.live(5000), ["a", "b", "c"]);
  await store.mailers.dismiss("b");
  await delay(60);
  await store.mailers.announce("c");
  assert.deepEqual(await store.mailers.live(50), ["c"]);
});
