import type { Send } from "@posthaste/contracts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { openSendCache } from "./send_cache.ts";

function sendOf(id: string, text = ""): Send {
  return { _id: id, request: { variables: { text } } } as unknown as Send;
}

function openLedger(sends: Send[], options = {}) {
  const reads: string[] = [];
  const known = new Map(sends.map((send) => [send._id, send]));
  const load = openSendCache((id) => {
    reads.push(id);
    return Promise.resolve(known.get(id) ?? null);
  }, options);
  return { load, reads, known };
}

test("openSendCache() reads a send once for concurrent and later callers", async () => {
  const { load, reads } = openLedger([sendOf("a"), sendOf("b")]);
  const [first, second] = await Promise.all([load("a"), load("a"), load("b")]);
  assert.equal(first, second);
  assert.equal(first?._id, "a");
  await load("a");
  assert.deepEqual(reads, ["a", "b"]);
});

test("openSendCache() evicts the least recently used send when it is full", async () => {
  const text = "x".repeat(100);
  const sends = ["a", "b", "c"].map((id) => sendOf(id, text));
  const { load, reads } = openLedger(sends, { maxBytes: 300 });
  for (const id of ["a", "b", "a", "c", "a", "b"]) await load(id);
  assert.deepEqual(reads, ["a", "b", "c", "b"]);
});

test("openSendCache() returns a send that is larger than the cache", async () => {
  const { load } = openLedger([sendOf("a", "x".repeat(1000))], { maxBytes: 100 });
  assert.equal((await load("a"))?._id, "a");
});

test("openSendCache() reads again after a missing send or a failure", async () => {
  const { load, known } = openLedger([]);
  assert.equal(await load("late"), null);
  known.set("late", sendOf("late"));
  assert.equal((await load("late"))?._id, "late");

  const answers = [Promise.reject(new Error("away")), Promise.resolve(sendOf("a"))];
  const failing = openSendCache(() => answers.shift() ?? Promise.resolve(null));
  await assert.rejects(failing("a"), /away/);
  assert.equal((await failing("a"))?._id, "a");
});
