import assert from "node:assert/strict";
import { test } from "node:test";
import { newSendId } from "@posthaste/contracts";
import { openTestApp, SEND, smallSend } from "./_test_app.ts";

const KEY = { "idempotency-key": "order-42" };

test("acceptSend() answers a duplicate with the first answer, and sends once", async () => {
  await using api = openTestApp();
  const first = await api.post(SEND, smallSend(), KEY);
  const second = await api.post(SEND, smallSend(), KEY);
  assert.equal(first.status, 200);
  assert.deepEqual(second.body, first.body);
  assert.equal(first.headers["idempotent-replayed"], "false");
  assert.equal(second.headers["idempotent-replayed"], "true");
  assert.equal(api.sends.length, 1);
  assert.equal(api.dispatched.length, 1);
});

test("acceptSend() accepts one of many concurrent duplicates", async () => {
  await using api = openTestApp();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => api.post(SEND, smallSend(), KEY)),
  );
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
  assert.equal(api.sends.length, 1);
  assert.equal(api.dispatched.length, 1);
});

test("acceptSend() answers a duplicate even if the template has been removed since", async () => {
  await using before = openTestApp();
  const first = await before.post(SEND, smallSend(), KEY);
  assert.equal(first.status, 200);
  await using after = openTestApp({
    versions: { latestEmailVersion: () => Promise.resolve(null) },
    sends: { findByIdempotencyKey: () => Promise.resolve(before.sends[0] ?? null) },
  });
  assert.deepEqual((await after.post(SEND, smallSend(), KEY)).body, first.body);
});

test("acceptSend() refuses a key that was used with another body, template or integration", async () => {
  await using api = openTestApp();
  await api.post(SEND, smallSend(), KEY);
  const others = [
    await api.post(SEND, smallSend({ variables: {} }), KEY),
    await api.post("/v1/templates/welcome/send/3", smallSend(), KEY),
    await api.post(SEND, {}, KEY),
  ];
  for (const { status, body } of others) {
    assert.equal(status, 422);
    assert.equal(body.code, "idempotency_mismatch");
  }
  assert.equal(api.sends.length, 1);
});

test("acceptSend() refuses a key of another request whose send does not exist yet", async () => {
  await using api = openTestApp({
    sends: { accept: () => Promise.resolve({ accepted: false, existing: null }) },
  });
  const { status, body } = await api.post(SEND, smallSend(), KEY);
  assert.deepEqual([status, body.code], [422, "idempotency_mismatch"]);
  assert.equal(api.dispatched.length, 0);
});

test("acceptSend() treats two requests without a key as two sends", async () => {
  await using api = openTestApp();
  const first = await api.post(SEND, smallSend());
  const second = await api.post(SEND, smallSend());
  assert.notEqual(first.body.id, second.body.id);
  assert.equal(first.headers["idempotent-replayed"], undefined);
  assert.equal(api.sends.length, 2);
});

test("readIdempotencyKey() accepts 1 to 255 printable ASCII characters", async () => {
  await using api = openTestApp();
  for (const key of ["", "x".repeat(256), "ä", "a\tb"]) {
    const answer = await api.post(SEND, smallSend(), { "idempotency-key": key });
    assert.equal(answer.status, 400, key);
    assert.equal(answer.body.issues[0].path, "Idempotency-Key");
  }
  for (const key of ["x", "x".repeat(255), newSendId("acc_1"), "~ !"]) {
    const answer = await api.post(SEND, smallSend(), { "idempotency-key": key });
    assert.equal(answer.status, 200, key);
  }
});
