import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openTestApp, SEND, smallSend } from "./_test_app.ts";
import { LOOSE_LIMITS } from "./_test_deps.ts";
import { type DispatcherLimits, openDispatcher } from "./dispatcher.ts";

test("openDispatcher() does not make the caller wait, and does not fail with the broker", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  await using hanging = openTestApp({ dispatch: () => promise });
  assert.equal((await hanging.post(SEND, smallSend())).status, 200);
  resolve();
  await using failing = openTestApp({ dispatch: () => Promise.reject(new Error("no broker")) });
  assert.equal((await failing.post(SEND, smallSend())).status, 200);
  await new Promise(setImmediate);
  assert.equal(failing.sends.length, 1);
  assert.equal(failing.log.filter(({ level }) => level === "warn").length, 1);
});

test("openDispatcher() leaves sends beyond its capacity to the reconciler", async () => {
  await using api = openTestApp();
  await api.post(SEND, smallSend());
  const [send] = api.sends;
  assert.ok(send);
  let begun = 0;
  const warnings: string[] = [];
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const dispatcher = openDispatcher({
    dispatch: () => {
      begun++;
      return gate;
    },
    logger: { warn: (message) => void warnings.push(message) },
    limits: { ...LOOSE_LIMITS.dispatcher, maxRecipients: 2 },
  });
  for (let i = 0; i < 3; i++) dispatcher.start(send, 100);
  assert.equal(begun, 2);
  assert.equal(warnings.length, 1);
  open();
  await dispatcher[Symbol.asyncDispose]();
  dispatcher.start(send, 100);
  assert.equal(begun, 3);
});

test("openDispatcher() waits for sends on their way when it is disposed", async () => {
  const { promise: published, resolve: publish } = Promise.withResolvers<void>();
  const api = openTestApp({ dispatch: () => published });
  await api.post(SEND, smallSend());
  const closed = api.app.close().then(() => "closed");
  assert.equal(await Promise.race([closed, delay(50, "open")]), "open");
  publish();
  assert.equal(await closed, "closed");
});

test("openDispatcher() counts bytes too", async () => {
  await using api = openTestApp();
  await api.post(SEND, smallSend());
  const [send] = api.sends;
  assert.ok(send);
  let begun = 0;
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const dispatcher = openDispatcher({
    dispatch: () => {
      begun++;
      return gate;
    },
    logger: { warn: () => {} },
    limits: { ...LOOSE_LIMITS.dispatcher, maxBytes: 200 },
  });
  for (let i = 0; i < 4; i++) dispatcher.start(send, 100);
  assert.equal(begun, 2);
  open();
  await dispatcher[Symbol.asyncDispose]();
  dispatcher.start(send, 100);
  assert.equal(begun, 3);
});

/** Opens a dispatcher whose broker and clock the test controls. */
async function openWithBroker(limits: Partial<DispatcherLimits>) {
  await using api = openTestApp();
  await api.post(SEND, smallSend());
  const [send] = api.sends;
  assert.ok(send);
  const broker = { isUp: true, now: 0 };
  const dispatcher = openDispatcher({
    dispatch: () => broker.isUp ? Promise.resolve() : Promise.reject(new Error("away")),
    logger: { warn: () => {} },
    limits: { ...LOOSE_LIMITS.dispatcher, ...limits },
    clock: { now: () => broker.now },
  });
  const start = async () => {
    dispatcher.start(send, 100);
    await new Promise(setImmediate);
  };
  return { broker, dispatcher, start };
}

test("admits() returns false once the broker has been away too long, except for one try per second", async () => {
  const { broker, dispatcher, start } = await openWithBroker({ maxAwayMs: 60_000 });
  broker.isUp = false;
  await start();
  broker.now = 60_000;
  await start();
  assert.ok(dispatcher.admits());
  broker.now = 60_001;
  assert.deepEqual([1, 2, 3].map(() => dispatcher.admits()), [true, false, false]);
  broker.now = 61_001;
  assert.deepEqual([1, 2].map(() => dispatcher.admits()), [true, false]);
  broker.isUp = true;
  await start();
  assert.deepEqual([1, 2].map(() => dispatcher.admits()), [true, true]);
});

test("admits() returns false once too much was left to the reconciler, until the broker keeps up", async () => {
  const { broker, dispatcher, start } = await openWithBroker({ maxLeft: 3 });
  broker.isUp = false;
  for (let i = 0; i < 3; i++) {
    assert.ok(dispatcher.admits());
    await start();
  }
  assert.deepEqual([1, 2].map(() => dispatcher.admits()), [true, false]);
  broker.isUp = true;
  await start();
  assert.deepEqual([1, 2].map(() => dispatcher.admits()), [true, true]);
});

test("acceptSend() answers 503 while the dispatcher admits nothing, and answers repetitions as before", async () => {
  await using api = openTestApp({ dispatch: () => Promise.reject(new Error("away")) }, {
    dispatcher: { maxLeft: 2 },
  });
  const key = { "idempotency-key": "a" };
  const first = await api.post(SEND, smallSend(), key);
  for (let i = 0; i < 2; i++) assert.equal((await api.post(SEND, smallSend())).status, 200);
  const refused = await api.post(SEND, smallSend());
  assert.equal(refused.status, 503);
  assert.equal(refused.headers["retry-after"], "2");
  assert.equal(api.sends.length, 3);
  assert.deepEqual((await api.post(SEND, smallSend(), key)).body, first.body);
});
