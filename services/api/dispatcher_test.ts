import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestApp, SEND, smallSend } from "./_test_app.ts";
import { openDispatcher } from "./dispatcher.ts";

test("openDispatcher() does not make the caller wait, nor fail with the broker", async () => {
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

test("openDispatcher() leaves to the sweeper what does not fit", async () => {
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
    limits: { maxRecipients: 2 },
  });
  for (let i = 0; i < 3; i++) dispatcher.start(send, 100);
  assert.equal(begun, 2);
  assert.equal(warnings.length, 1);
  open();
  await dispatcher[Symbol.asyncDispose]();
  dispatcher.start(send, 100);
  assert.equal(begun, 3);
});

test("openDispatcher() waits in the end for those on their way", async () => {
  let published = 0;
  const api = openTestApp({
    dispatch: async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      published++;
    },
  });
  await api.post(SEND, smallSend());
  assert.equal(published, 0);
  await api.app.close();
  assert.equal(published, 1);
});
