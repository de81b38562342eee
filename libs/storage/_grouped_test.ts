import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { grouped } from "./_grouped.ts";

/** Calls that wait until the test ends their command. */
function openGrouped() {
  const commands: { items: readonly number[]; end(): void }[] = [];
  const call = grouped(async (items: readonly number[]) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    commands.push({ items, end: resolve });
    await promise;
    return items;
  });
  return { call, commands };
}

test("grouped() makes one command of all that comes while one is in progress", async () => {
  const { call, commands } = openGrouped();
  const first = call(1);
  await turn();
  const others = [call(2), call(3)];
  await turn();
  assert.deepEqual(commands.map(({ items }) => items), [[1]]);
  commands[0]?.end();
  assert.equal(await first, 1);
  await turn();
  assert.deepEqual(commands[1]?.items, [2, 3]);
  commands[1]?.end();
  assert.deepEqual(await Promise.all(others), [2, 3]);
});

test("grouped() does not let a command that hangs hold up others for longer than a second", async (t: TestContext) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { call, commands } = openGrouped();
  const hung = call(1);
  await turn();
  const second = call(2);
  await turn();
  assert.equal(commands.length, 1);
  t.mock.timers.tick(1000);
  await turn();
  assert.deepEqual(commands[1]?.items, [2]);
  // The end of the first must not end the wait for the second.
  const third = call(3);
  commands[0]?.end();
  assert.equal(await hung, 1);
  await turn();
  assert.equal(commands.length, 2);
  commands[1]?.end();
  assert.equal(await second, 2);
  await turn();
  commands[2]?.end();
  assert.equal(await third, 3);
});

test("grouped() rejects a call whose result is an error, and all calls of a command that fails", async () => {
  const call = grouped((items: readonly string[]) => {
    if (items.includes("all")) return Promise.reject(new Error("failed"));
    return Promise.resolve(items.map((item) => item === "one" ? new Error("refused") : item));
  });
  const settled = await Promise.allSettled([call("a"), call("one")]);
  assert.deepEqual(settled.map(({ status }) => status), ["fulfilled", "rejected"]);
  await Promise.all([
    assert.rejects(call("b"), { message: "failed" }),
    assert.rejects(call("all"), { message: "failed" }),
  ]);
  assert.equal(await call("c"), "c");
});
