import assert from "node:assert/strict";
import { test } from "node:test";
import { hashPassword, PASSWORD_COST, verifyPassword } from "@posthaste/storage";
import { openPasswordHasher } from "./password_hasher.ts";
import { HttpError } from "./http_error.ts";

const isFull = (error: unknown) => error instanceof HttpError && error.code === "unavailable";

test("openPasswordHasher() runs and queues a limited number of hashes, and refuses the rest", async () => {
  const hasher = openPasswordHasher({ concurrency: 1, waiting: 2 });
  const asked = Array.from({ length: 4 }, () => hasher.hash("correct horse"));
  const refused = assert.rejects(asked.pop() ?? Promise.resolve(), isFull);
  const order: number[] = [];
  await Promise.all(asked.map(async (each, i) => {
    await each;
    order.push(i);
  }));
  await refused;
  assert.deepEqual(order, [0, 1, 2]);
  // The slots are free again.
  await Promise.all([hasher.hash("a"), hasher.hash("b"), hasher.hash("c")]);
});

test("openPasswordHasher() frees the slot of a trial that fails", async () => {
  const hasher = openPasswordHasher({ concurrency: 1, waiting: 1 });
  const broken = assert.rejects(hasher.verify("x", "no hash"), TypeError);
  const next = hasher.verify("x", null);
  await broken;
  assert.deepEqual(await next, { isRight: false });
});

test("verify() is true for the stored password alone, and never if none is stored", async () => {
  const hasher = openPasswordHasher();
  const stored = await hashPassword("correct horse");
  assert.deepEqual(await hasher.verify("correct horse", stored), { isRight: true });
  assert.deepEqual(await hasher.verify("wrong horse", stored), { isRight: false });
  for (const nothing of [null, undefined]) {
    assert.deepEqual(await hasher.verify("nobody's password", nothing), { isRight: false });
  }
});

test("verify() renews a right password that was stored at a lower cost, and no wrong one", async () => {
  const hasher = openPasswordHasher();
  const stored = await hashPassword("correct horse", { ...PASSWORD_COST, memory: 1024 });
  const { isRight, renewed } = await hasher.verify("correct horse", stored);
  assert.equal(isRight, true);
  assert.match(renewed ?? "", /m=19456,/);
  assert.equal(await verifyPassword("correct horse", renewed ?? ""), true);
  assert.deepEqual(await hasher.verify("wrong horse", stored), { isRight: false });
});
