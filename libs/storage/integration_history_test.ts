import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { messageIdOf } from "@posthaste/contracts";
import { testSend, voidAttempt } from "@posthaste/kit";
import { openTestStore, type TestStore } from "./_test_store.ts";
import { NameTakenError } from "./name_taken_error.ts";
import { RevisionConflictError } from "./revision_conflict_error.ts";

let opened: TestStore;
before(async () => {
  opened = await openTestStore();
});
after(() => opened[Symbol.asyncDispose]());

const at = new Date("2026-03-01T00:00:00Z");
const person = { at, reason: "paused by Ann" };

async function connect(accountId: string) {
  return await opened.store.integrations.create({
    ...{ accountId, name: "main", host: "smtp.example.com", port: 587, tls: "starttls" },
    ...{ auth: null, senders: ["shop@example.com"] },
  });
}

async function historyOf(accountId: string, id = 1) {
  const events = await opened.store.integrations.listEvents(accountId, id, { limit: 10 });
  return events.map(({ type, reason }) => `${type}: ${reason}`).toReversed();
}

test("suspendIntegration() writes one line of history, however many mails found the same fault", async () => {
  const { store } = opened;
  const { _id, revision, accountId, id } = await connect("acc_s");
  const suspended = { at, reason: "The login was refused" };
  for (let mail = 0; mail < 5; mail++) {
    assert.ok(await store.integrations.suspend({ _id, revision }, suspended));
  }
  assert.deepEqual(await historyOf(accountId), ["suspended: The login was refused"]);
  await store.integrations.update(accountId, id, { port: 465 });
  assert.equal((await store.integrations.find(accountId, id))?.suspended, null);
  assert.equal(
    await store.integrations.suspend({ _id, revision }, suspended),
    false,
    "it is changed",
  );
  assert.equal((await historyOf(accountId))[1], "resumed: The settings were changed");
});

test("pauseIntegration() holds until a person resumes: no change and no refused login ends it", async () => {
  const { store } = opened;
  const { _id, revision, accountId, id } = await connect("acc_p");
  assert.equal(await store.integrations.pause("acc_other", id, person), false);
  assert.ok(await store.integrations.pause(accountId, id, person));
  const changed = await store.integrations.update(accountId, id, { port: 465, revision });
  assert.equal(changed?.revision, revision + 1, "who paused it did not change the settings");
  assert.deepEqual(changed?.suspended, { ...person, kind: "person" });
  const refused = { at, reason: "The login was refused" };
  assert.ok(await store.integrations.suspend({ _id, revision: revision + 1 }, refused));
  assert.equal((await store.integrations.find(accountId, id))?.suspended?.kind, "person");
  assert.ok(await store.integrations.resume(accountId, id, "resumed by Ann"));
  assert.ok(await store.integrations.resume(accountId, id, "resumed by Ann"));
  assert.deepEqual(await historyOf(accountId), [
    "paused: paused by Ann",
    "resumed: resumed by Ann",
  ]);
});

test("updateIntegration() keeps a pause that comes between its read and its write", async () => {
  const { store } = opened;
  const { accountId, id } = await connect("acc_r");
  for (let round = 0; round < 20; round++) {
    await Promise.all([
      store.integrations.update(accountId, id, { maxConnections: 1 + round % 9 }),
      store.integrations.pause(accountId, id, person),
    ]);
    assert.equal((await store.integrations.find(accountId, id))?.suspended?.kind, "person");
    await store.integrations.resume(accountId, id);
  }
});

test("updateIntegration() refuses a change that was made from an older revision", async () => {
  const { store } = opened;
  const { accountId, id, revision } = await connect("acc_c");
  await store.integrations.update(accountId, id, { port: 465, revision });
  await assert.rejects(
    store.integrations.update(accountId, id, { port: 25, revision }),
    RevisionConflictError,
  );
  assert.equal((await store.integrations.find(accountId, id))?.port, 465);
});

test("countFailure() and closeCircuit() write history when a circuit opens, and not before", async () => {
  const { store } = opened;
  const { _id, accountId } = await connect("acc_t");
  const pauseMs = (failures: number) => failures < 3 ? 0 : 1000;
  const note = (seconds: number) =>
    store.circuits.countFailure({
      ...{ id: _id, reason: "no answer", pauseMs },
      now: new Date(at.getTime() + seconds * 1000),
    });
  await note(0);
  await store.circuits.close(_id);
  assert.deepEqual(await historyOf(accountId), []);
  for (const seconds of [0, 1, 2, 10, 20]) await note(seconds);
  assert.deepEqual(await historyOf(accountId), ["unreachable: no answer"]);
  assert.equal((await store.integrations.findCircuit(accountId, 1))?.failures, 5);
  await store.circuits.close(_id);
  assert.equal((await historyOf(accountId))[1], "reachable: Its server is reachable again");
  assert.equal(await store.integrations.findCircuit(accountId, 1), null);
});

test("archiveIntegration() frees the name, and mail in flight still finds it", async () => {
  const { store } = opened;
  const { accountId, id } = await connect("acc_a");
  await assert.rejects(connect(accountId), NameTakenError);
  assert.equal(await store.integrations.archive("acc_b", id, at), false);
  assert.ok(await store.integrations.archive(accountId, id, at));
  assert.equal(await store.integrations.archive(accountId, id, at), false);
  assert.deepEqual(await store.integrations.list(accountId), []);
  const found = await store.integrations.find(accountId, id);
  assert.deepEqual([found?.name, found?.archivedAt], [`main (removed, ${id})`, at]);
  assert.equal((await connect(accountId)).id, 3);
});

test("countWaiting() counts what waits for one integration, dispatched or not", async () => {
  const { store } = opened;
  const accountId = "acc_m";
  for (const integrationId of [1, 1, 1, 2]) {
    const acceptedAt = new Date(Date.UTC(2026, 0, 4));
    const send = testSend({
      accountId,
      acceptedAt,
      integrationId,
    });
    await store.sends.accept(send);
    const attempt = { messageId: messageIdOf(send._id, 0), attempt: 1, at: acceptedAt };
    const why = { waitsFor: `${accountId}/${integrationId}`, reason: "login refused" };
    await voidAttempt(store, "deferred", { ...attempt, ...why });
  }
  const counts = await Promise.all(
    [10, 2].map((most) => store.integrations.countWaiting(accountId, 1, most)),
  );
  assert.deepEqual(counts, [3, 2]);
  const send = testSend({ accountId, messageCount: 4, next: 0 });
  await store.sends.accept(send);
  await store.waiting.queueSend(send);
  assert.equal(await store.integrations.countWaiting(accountId, 1, 10), 7);
});
