import { stallProcess } from "@posthaste/kit";
import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { HttpError } from "./http_error.ts";
import { stopTime } from "@posthaste/kit";
import { openTestApp, SEND, smallSend } from "./_test_app.ts";
import { RequestStore } from "./request_store.ts";
import { type Capacity, openCapacity } from "./capacity.ts";

const never = () => new Promise<never>(() => {});

function storeIn(capacity: Capacity, timeoutMs: number): RequestStore {
  const logger = { error: () => {} };
  const store = {} as never;
  return new RequestStore({ store, capacity, timeoutMs, onUnanswered: () => {}, logger });
}

const LARGE = { maxOperations: 100, maxBytes: 1000, maxAccountBytes: 1000 };
const UNAVAILABLE = (error: unknown) => error instanceof HttpError && error.code === "unavailable";

test("wait() logs what is wrong with the ledger, once for each request", async (context) => {
  const time = stopTime(context);
  const logged: string[] = [];
  const logger = { error: (text: string) => void logged.push(text) };
  const capacity = openCapacity(LARGE);
  const request = () => {
    const shared = { store: {} as never, capacity, timeoutMs: 300, onUnanswered: () => {} };
    return new RequestStore({ ...shared, logger });
  };
  const broken = request();
  const fails = () => Promise.reject(new Error("broken"));
  await assert.rejects(broken.wait("look", fails), UNAVAILABLE);
  await assert.rejects(broken.wait("look", fails), UNAVAILABLE);
  const late = assert.rejects(request().wait("look", never), UNAVAILABLE);
  await time.move(300);
  await late;
  assert.deepEqual(logged, [
    "Cannot look: the ledger failed",
    "Cannot look: the ledger did not answer in time",
  ]);
});

test("wait() logs the time that a search had, not that of other requests", async (context) => {
  const time = stopTime(context);
  const store = storeIn(openCapacity(LARGE), 300);
  store.allow(2000);
  const late = assert.rejects(store.wait("count", never), (error) => {
    const { cause } = error as { cause: Error };
    return UNAVAILABLE(error) && cause.message === "no answer within 2300 ms";
  });
  await time.move(2300);
  await late;
});

test("wait() bounds all the waits of a request together", async (context) => {
  const time = stopTime(context);
  const store = storeIn(openCapacity(LARGE), 300);
  for (let waits = 0; waits < 2; waits++) {
    const wait = store.wait("look", () => time.pass(120));
    await time.move(120);
    await wait;
  }
  let isRefused = false;
  const last = assert.rejects(store.wait("look", never), UNAVAILABLE)
    .then(() => isRefused = true);
  await time.move(59);
  assert.equal(isRefused, false);
  await time.move(1);
  await last;
  const more = assert.rejects(store.wait("look", never), UNAVAILABLE);
  await time.move(1);
  await more;
});

test("wait() counts concurrent waits once, and no time between waits", async (context) => {
  const time = stopTime(context);
  const store = storeIn(openCapacity(LARGE), 300);
  const waits = [1, 2, 3, 4].map(() => store.wait("look", () => time.pass(120)));
  await time.move(120);
  await Promise.all(waits);
  await time.move(300);
  const last = store.wait("look", () => time.pass(179));
  await time.move(179);
  await last;
});

test("wait() takes an answer that had come before a stalled process could look at its limit", async () => {
  const store = storeIn(openCapacity(LARGE), 20);
  const answer = store.wait("look", () => stat(import.meta.dirname));
  stallProcess(200);
  assert.ok((await answer).isDirectory());
});

test("wait() refuses immediately while too many operations are unanswered", async () => {
  const capacity = openCapacity({ ...LARGE, maxOperations: 2 });
  const { promise: answer, resolve } = Promise.withResolvers<void>();
  const late = [1, 2].map(() => storeIn(capacity, 20).wait("look", () => answer));
  for (const wait of late) await assert.rejects(wait, UNAVAILABLE);
  let began = false;
  const refused = storeIn(capacity, 1000).wait("look", () => {
    began = true;
    return Promise.resolve();
  });
  await assert.rejects(refused, UNAVAILABLE);
  assert.equal(began, false);
  resolve();
  await answer;
  assert.equal(await storeIn(capacity, 1000).wait("look", () => Promise.resolve(7)), 7);
});

test("takeBody() keeps the bytes until the request is over and its operations are answered", async () => {
  const capacity = openCapacity(LARGE);
  const { promise: answer, resolve } = Promise.withResolvers<void>();
  const first = storeIn(capacity, 20);
  first.takeBody(800, "acc_1");
  await assert.rejects(first.wait("accept", () => answer), UNAVAILABLE);
  assert.throws(() => storeIn(capacity, 20).takeBody(201, "acc_1"), UNAVAILABLE);
  first.leave();
  first.leave();
  assert.throws(() => storeIn(capacity, 20).takeBody(201, "acc_1"), UNAVAILABLE);
  resolve();
  await answer;
  await turn();
  assert.equal(capacity.bodies.held, 0);
});

test("takeBody() refuses one account's bytes beyond its share, and no other account's", () => {
  const capacity = openCapacity({ ...LARGE, maxBytes: 1000, maxAccountBytes: 300 });
  const [first, second, other] = [20, 20, 20].map((timeoutMs) => storeIn(capacity, timeoutMs));
  first?.takeBody(200, "acc_1");
  assert.throws(() => second?.takeBody(101, "acc_1"), {
    code: "too_many_requests",
    retryAfter: 1,
  });
  second?.takeBody(100, "acc_1");
  other?.takeBody(300, "acc_2");
  first?.leave();
  second?.takeBody(200, "acc_1");
  // A single body always fits, in any number of parts.
  other?.takeBody(400, "acc_2");
});

test("buildApp() frees the bytes of every request", async () => {
  await using api = openTestApp({}, { capacity: { maxOperations: 10, maxBytes: 140 } });
  for (let i = 0; i < 5; i++) {
    assert.equal((await api.post(SEND, smallSend())).status, 200);
    assert.equal((await api.post(SEND, "{")).status, 400);
    assert.equal((await api.post("/nowhere", smallSend())).status, 404);
  }
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const { promise: accepting, resolve: accept } = Promise.withResolvers<void>();
  await using slow = openTestApp({
    sends: { accept: () => (accept(), gate.then(() => ({ accepted: true }))) },
  }, { capacity: { maxOperations: 10, maxBytes: 140 } });
  const waiting = slow.post(SEND, smallSend());
  await accepting;
  const refused = await slow.post(SEND, smallSend());
  assert.equal(refused.status, 503);
  assert.equal(refused.headers["retry-after"], "2");
  open();
  assert.equal((await waiting).status, 200);
});

test("buildApp() answers within one ledger timeout, however many operations are slow", async (context) => {
  const time = stopTime(context);
  const looking = Promise.withResolvers<void>();
  await using api = openTestApp({
    integrations: { find: () => (looking.resolve(), time.pass(399).then(() => null)) },
  }, { ledgerTimeoutMs: 400 });
  const unknown = api.post(SEND, smallSend());
  await looking.promise;
  await time.move(399);
  assert.equal((await unknown).status, 404);
  const finding = Promise.withResolvers<void>();
  const accepting = Promise.withResolvers<void>();
  await using slower = openTestApp({
    sends: {
      findByIdempotencyKey: () => (finding.resolve(), time.pass(150).then(() => null)),
      accept: () => (accepting.resolve(), never()),
    },
  }, { ledgerTimeoutMs: 400 });
  const answer = slower.post(SEND, smallSend(), { "idempotency-key": "a" });
  await finding.promise;
  await time.move(150);
  await accepting.promise;
  await time.move(250);
  assert.equal((await answer).status, 503);
});
