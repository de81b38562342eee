import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { openStore, type Store } from "@posthaste/storage";
import { openTestMongo, type TestMongo } from "@posthaste/kit";
import { openAttempts } from "./attempts.ts";
import { HttpError } from "./http_error.ts";

const RULE = { free: 3, waitMs: 60_000 };

let mongo: TestMongo;
let store: Store;
beforeEach(async () => {
  mongo = await openTestMongo();
  store = await openStore({ url: mongo.url });
});
afterEach(async () => {
  await store[Symbol.asyncDispose]();
  await mongo[Symbol.asyncDispose]();
});

function openCounted(counted: Pick<Store, "signInAttempts"> = store) {
  let time = Date.now();
  const attempts = openAttempts({ ...counted, now: () => new Date(time) });
  /** Returns the wait in seconds that an attempt is refused with; 0 if it is not refused. */
  const begin = async (...names: string[]) => {
    try {
      await attempts.begin(Object.fromEntries(names.map((name) => [name, RULE])));
      return 0;
    } catch (error) {
      assert.ok(error instanceof HttpError && error.code === "too_many_requests", String(error));
      return error.retryAfter ?? 0;
    }
  };
  const beginAll = async (...names: string[]) => {
    const waits: number[] = [];
    for (const name of names) waits.push(await begin(name));
    return waits;
  };
  return { attempts, begin, beginAll, pass: (seconds: number) => void (time += seconds * 1000) };
}

test("begin() imposes a wait after too many failures, which doubles each time, up to 15 minutes", async () => {
  const { begin, beginAll, pass } = openCounted();
  assert.deepEqual(await beginAll("a", "a", "a", "a"), [0, 0, 0, 60]);
  pass(59);
  assert.equal(await begin("a"), 1);
  for (const wait of [120, 240, 480, 900, 900]) {
    pass(await begin("a"));
    assert.deepEqual(await beginAll("a", "a"), [0, wait]);
  }
  assert.equal(await begin("b"), 0);
});

test("begin() refuses an attempt that is over the limit under any key, and counts it under none", async () => {
  const { begin, pass } = openCounted();
  for (let i = 0; i < 3; i++) await begin("address", `person ${i}`);
  assert.equal(await begin("address", "person 9"), 60);
  assert.equal(await begin("person 9"), 0);
  pass(60);
  assert.equal(await begin("address", "person 9"), 0);
});

test("begin() forgets failures after half an hour without another", async () => {
  const { beginAll, pass } = openCounted();
  await beginAll("a", "a", "a");
  pass(1801);
  assert.deepEqual(await beginAll("a", "a", "a", "a"), [0, 0, 0, 60]);
});

test("succeed() withdraws an attempt, and forgets all failures of the given keys", async () => {
  const { attempts, begin, beginAll } = openCounted();
  for (let i = 0; i < 50; i++) {
    assert.equal(await begin("a"), 0);
    await attempts.succeed({ a: RULE });
  }
  await beginAll("a", "a", "a");
  await attempts.succeed({ a: RULE });
  assert.deepEqual(await beginAll("a", "a"), [0, 60]);
  await attempts.succeed({ a: RULE }, { forget: ["a"] });
  assert.deepEqual(await beginAll("a", "a", "a", "a"), [0, 0, 0, 60]);
});

test("begin() admits no more of many concurrent attempts, in two processes", async () => {
  await using other = await openStore({ url: mongo.url });
  const [first, second] = [openCounted(), openCounted(other)];
  const waits = await Promise.all(
    Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? first : second).begin("ann@x.example")),
  );
  assert.equal(waits.filter((wait) => wait === 0).length, RULE.free);
});

test("begin() stores nothing that identifies the person", async () => {
  const asked: unknown[] = [];
  const watched: Pick<Store, "signInAttempts"> = {
    ...store,
    signInAttempts: {
      ...store.signInAttempts,
      findWaits: (...args) => (asked.push(args), store.signInAttempts.findWaits(...args)),
      count: (...args) => (asked.push(args), store.signInAttempts.count(...args)),
    },
  };
  await openCounted(watched).begin("login ann@x.example");
  assert.equal(asked.length, 2);
  assert.doesNotMatch(JSON.stringify(asked), /ann|example/);
});
