import assert from "node:assert/strict";
import { test } from "node:test";
import { makeRepository } from "../make_repository.ts";
import type { FileResult } from "./file_result.ts";
import { startWorker } from "./worker_process.ts";

const IMPORTS = 'import { before, test } from "node:test";\n';

/** Runs files in one process, in a folder of their own. */
async function runAll(files: Record<string, string>): Promise<Record<string, FileResult>> {
  using repository = makeRepository(
    Object.fromEntries(Object.entries(files).map(([name, text]) => [name, IMPORTS + text])),
  );
  await using worker = startWorker(repository.root);
  const results: Record<string, FileResult> = {};
  for (const file of Object.keys(files)) results[file] = await worker.run({ file, env: {} });
  return results;
}

test("a worker runs one file after another, and reports the failures of each", async () => {
  const results = await runAll({
    "good_test.ts": 'test("a", () => {}); test("b", { skip: true }, () => {});',
    "bad_test.ts":
      'test("outer", async (t) => { await t.test("inner", () => { throw Error("no") }) });',
    "hook_test.ts": 'before(() => { throw Error("hook") }); test("never", () => {});',
    "broken_test.ts": 'import "./missing.ts";',
    "empty_test.ts": "",
    "late_test.ts": 'test("a", () => { setTimeout(() => { throw Error("late") }, 1) });' +
      'test("b", () => new Promise((done) => setTimeout(done, 50)));',
    "both_test.ts": 'test("a", () => { setTimeout(() => { throw Error("late") }, 1) });' +
      'test("b", async () => { await new Promise((done) => setTimeout(done, 50)); throw Error("b") });',
    "again_test.ts": 'test("a", () => {});',
  });
  const failuresOf = (file: string) =>
    results[file]?.failures.map(({ name, reason }) => `${name}: ${reason.split("\n")[0]}`);
  const { passed, skipped, failures, leftovers } = results["good_test.ts"] as FileResult;
  assert.deepEqual({ passed, skipped, failures, leftovers }, {
    ...{ passed: 1, skipped: 1, failures: [], leftovers: [] },
  });
  assert.deepEqual(failuresOf("bad_test.ts"), ["inner: Error: no"]);
  assert.deepEqual(failuresOf("hook_test.ts"), ["hook_test.ts: Error: hook"]);
  assert.match(`${failuresOf("broken_test.ts")}`, /Cannot find module/);
  assert.deepEqual(failuresOf("empty_test.ts"), ["empty_test.ts: It has no test"]);
  assert.deepEqual(failuresOf("late_test.ts"), ["an unhandled error: Error: late"]);
  const both = ["b: Error: b", "an unhandled error: Error: late"];
  assert.deepEqual(failuresOf("both_test.ts"), both);
  assert.deepEqual(failuresOf("again_test.ts"), []);
});

test("a worker ends a file whose test waits forever after an unhandled error", async () => {
  const fail = '() => { throw Error("lost") }';
  const forever = (begin: string) =>
    `test("a", (t) => new Promise(() => { setInterval(() => {}, 1000); ${begin} }));`;
  const files = {
    "stuck_test.ts": forever(`setTimeout(${fail}, 1)`),
    "clock_test.ts": forever(`t.mock.timers.enable(); queueMicrotask(${fail})`),
  };
  for (const [name, text] of Object.entries(files)) {
    // Its process can run no other file.
    const { failures, leftovers } = (await runAll({ [name]: text }))[name] as FileResult;
    assert.deepEqual(failures.map(({ reason }) => reason.split("\n")[0]), ["Error: lost"]);
    assert.deepEqual(leftovers, ["a test that goes on"]);
  }
});

test("a worker finds the suite of each test, or fails a test that has none", async () => {
  const results = await runAll({
    "suite_test.ts": 'import { suite } from "node:test"; await new Promise(setImmediate);' +
      'suite("outer", () => { suite("inner", () => { test("a", () => {}); ' +
      'test("b", () => { throw Error("no") }) }) });',
    "slow_test.ts": 'import { suite } from "node:test"; suite("outer", async () => {' +
      'test("a", () => {}); await new Promise(setImmediate); test("b", () => {}) });',
  });
  const resultOf = (file: string) => {
    const { failures, passed } = results[file] as FileResult;
    return [failures.map(({ name, reason }) => `${name}: ${reason.split("\n")[0]}`), passed];
  };
  assert.deepEqual(resultOf("suite_test.ts"), [["b: Error: no"], 1]);
  const late = "b: Declared too late: a suite must declare its tests before its first `await`";
  assert.deepEqual(resultOf("slow_test.ts"), [[late], 1]);
});

test("a worker reports what a file leaves behind", async () => {
  const results = await runAll({
    "left_test.ts": [
      'import { createServer } from "node:net";',
      'test("a", () => {',
      '  process.env["LEFT"] = "1";',
      '  process.on("SIGUSR2", () => {});',
      "  globalThis.left = 1;",
      "  createServer().listen(0);",
      "});",
    ].join("\n"),
  });
  assert.deepEqual(results["left_test.ts"]?.leftovers, [
    "environment variable LEFT",
    'listener for the process\'s "SIGUSR2"',
    "global left",
    "1 open TCPServerWrap",
  ]);
});

test("a worker whose process ends fails the file, and accepts no other", async () => {
  using repository = makeRepository({
    "exit_test.ts": `${IMPORTS}test("a", () => { console.log("words"); process.exit(3) });`,
  });
  await using worker = startWorker(repository.root);
  const { failures, output } = await worker.run({ file: "exit_test.ts", env: {} });
  assert.deepEqual(failures.map(({ reason }) => reason), ["Its process ended with code 3"]);
  assert.match(output, /words/);
  assert.equal(worker.isAlive, false);
});

test("a worker sets what is new in the environment before a file", async () => {
  using repository = makeRepository({
    "first_test.ts": `${IMPORTS}test("a", () => {});`,
    "second_test.ts":
      `${IMPORTS}test("a", () => { if (process.env.ADDED !== "1") throw Error("no") });`,
  });
  await using worker = startWorker(repository.root);
  await worker.run({ file: "first_test.ts", env: {} });
  const { failures, leftovers } = await worker.run({ file: "second_test.ts", env: { ADDED: "1" } });
  assert.deepEqual({ failures, leftovers }, { failures: [], leftovers: [] });
});
