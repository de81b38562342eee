import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Batch, BATCH_OPEN_MS, messageIdOf, newId } from "@posthaste/contracts";
import { testSend, voidAttempt } from "@posthaste/kit";
import { openTestDashboard, type TestDashboard } from "./_test_dashboard.ts";

let dashboard: TestDashboard;
before(async () => {
  dashboard = await openTestDashboard();
});
after(() => dashboard?.[Symbol.asyncDispose]());

const REQUEST = { from: { email: "shop@example.com" } };

async function openBatch(changes: Partial<Batch> = {}): Promise<Batch> {
  const createdAt = new Date();
  const closesAt = new Date(createdAt.getTime() + BATCH_OPEN_MS);
  const batch: Batch = {
    ...{ _id: newId("bat", createdAt), accountId: dashboard.own.accountId, createdAt, closesAt },
    ...{ state: "open", start: "close", endedAt: null, dueAt: closesAt, request: REQUEST },
    ...{ template: { id: 1, version: 2 }, integrationId: 7, pdfs: [], recipients: 0, sends: 0 },
    ...changes,
  };
  await dashboard.store.batches.create(batch, undefined);
  return batch;
}

async function addPart({ _id: batchId, accountId }: Batch, messageCount: number): Promise<string> {
  const send = testSend({
    ...{ accountId, acceptedAt: new Date(), batchId, messageCount, held: true, next: 0 },
    ...{ priority: "bulk", template: { id: 1, version: 2 }, integrationId: 7 },
  });
  assert.deepEqual(await dashboard.store.sends.accept(send), { accepted: true });
  return send._id;
}

test("GET /api/batches lists the account's batches by state, newest first, page by page", async () => {
  const { own: { viewer }, foreign } = dashboard;
  const { body: { rows: before } } = await viewer.get("/api/batches");
  const time = Date.now() - 60_000;
  const batches: Batch[] = [];
  for (let n = 0; n < 52; n++) {
    const createdAt = new Date(time + n);
    batches.push(await openBatch({ _id: newId("bat", createdAt), createdAt }));
  }
  const ids = batches.map(({ _id }) => _id).toReversed();
  const first = (await viewer.get("/api/batches?state=open")).body;
  assert.equal(first.rows.length, 50);
  const second = (await viewer.get(`/api/batches?state=open&before=${first.next}`)).body;
  const found = [...first.rows, ...second.rows].map(({ id }: { id: string }) => id);
  assert.deepEqual(found.slice(0, 52), ids);
  assert.deepEqual([second.next, found.length], [null, 52 + before.length]);
  assert.deepEqual((await viewer.get("/api/batches?state=canceled")).body.rows, []);
  assert.deepEqual((await foreign.viewer.get("/api/batches")).body.rows, []);
  const { status, body } = await viewer.get("/api/batches?state=lost");
  assert.deepEqual([status, body.issues[0].path], [400, "state"]);
  for (const { _id, accountId } of batches) {
    await dashboard.store.batches.cancel(accountId, _id, new Date());
  }
});

test("GET /api/batches/:id counts its messages by state and lists its sends", async () => {
  const { own: { viewer }, foreign, store } = dashboard;
  const batch = await openBatch({ notBefore: new Date("2027-01-01T08:00:00Z") });
  const sends = [await addPart(batch, 3), await addPart(batch, 2)];
  await voidAttempt(store, "failed", {
    ...{ messageId: messageIdOf(sends[0] ?? "", 1), attempt: 1, at: new Date(), reason: "x" },
  });
  const path = `/api/batches/${batch._id}`;
  const { body } = await viewer.get(path);
  const { states, isSettled, isCut, recipients, sends: parts, template, integration } = body;
  assert.deepEqual(states, { scheduled: 4, failed: 1 });
  assert.deepEqual([isSettled, isCut, recipients, parts], [false, false, 5, 2]);
  assert.deepEqual([body.state, body.start, body.endedAt], ["open", "close", null]);
  assert.deepEqual([body.closesAt, body.sendAt], [
    ...[batch.closesAt.toISOString(), "2027-01-01T08:00:00.000Z"],
  ]);
  assert.deepEqual(template, { id: 1, version: 2, name: null });
  assert.deepEqual(integration, { id: 7, name: null });
  // What its sends share is as private as their content.
  assert.equal(body.request, undefined);
  const { body: { rows, next } } = await viewer.get(`${path}/sends`);
  assert.deepEqual(rows.map(({ id, recipients }: Record<string, unknown>) => [id, recipients]), [
    ...[[sends[1], 2], [sends[0], 3]],
  ]);
  assert.equal(next, null);
  assert.equal((await viewer.get(`/api/sends/${sends[0]}`)).body.batchId, batch._id);
  const ofBatch = await viewer.get(`/api/messages?batch=${batch._id}&state=failed`);
  assert.deepEqual(ofBatch.body.rows.map(({ id }: { id: string }) => id), [
    messageIdOf(sends[0] ?? "", 1),
  ]);
  assert.deepEqual((await viewer.get(`/api/messages?batch=${newId("bat")}`)).body.rows, []);
  for (const answer of [await foreign.viewer.get(path), await viewer.get("/api/batches/snd_1")]) {
    assert.deepEqual([answer.status, answer.body.code], [404, "not_found"]);
  }
  assert.equal((await foreign.viewer.get(`${path}/sends`)).status, 404);
  assert.deepEqual(
    (await foreign.viewer.get(`/api/messages?batch=${batch._id}`)).body.rows,
    [],
  );
});

test("POST /api/batches/:id/close closes a batch for an editor, once", async () => {
  const { own: { viewer, editor, accountId }, foreign, store } = dashboard;
  const batch = await openBatch();
  await addPart(batch, 3);
  const path = `/api/batches/${batch._id}/close`;
  assert.equal((await viewer.post(path)).status, 403);
  assert.equal((await foreign.editor.post(path)).status, 404);
  const { body } = await editor.post(path);
  assert.deepEqual([body.state, body.recipients], ["closed", 3]);
  assert.deepEqual((await editor.post(path)).body, body);
  // The tracker releases its sends.
  const due = await store.batches.listDue(new Date(), 1000);
  assert.ok(due.some(({ _id }) => _id === batch._id));
  assert.deepEqual(await auditOf(accountId, batch), [["batch.closed", { recipients: 3 }]]);
});

test("POST /api/batches/:id/cancel cancels a batch for an editor, and it cannot be closed then", async () => {
  const { own: { viewer, editor, accountId }, foreign } = dashboard;
  const batch = await openBatch();
  const path = `/api/batches/${batch._id}`;
  assert.equal((await viewer.post(`${path}/cancel`)).status, 403);
  assert.equal((await foreign.editor.post(`${path}/cancel`)).status, 404);
  await editor.post(`${path}/close`);
  const { body } = await editor.post(`${path}/cancel`);
  assert.equal(body.state, "canceled");
  assert.deepEqual((await editor.post(`${path}/cancel`)).body, body);
  const closing = await editor.post(`${path}/close`);
  assert.deepEqual([closing.status, closing.body.code], [409, "conflict"]);
  assert.deepEqual((await auditOf(accountId, batch)).map(([action]) => action), [
    ...["batch.canceled", "batch.closed"],
  ]);
});

async function auditOf(accountId: string, { _id }: Batch) {
  const entries = await dashboard.store.audit.list(accountId, { limit: 100 });
  return entries.filter(({ target }) => target === `batch ${_id}`)
    .map(({ action, details }) => [action, details] as const);
}
