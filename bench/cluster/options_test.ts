import assert from "node:assert/strict";
import { test } from "node:test";
import { readOptions } from "./options.ts";

test("readOptions() selects everything by default", () => {
  const all = readOptions([]);
  assert.deepEqual([all?.survive, all?.idle, all?.shards], [true, true, true]);
  assert.equal(all?.stages.length, 4);
  assert.deepEqual([all?.replicas, all?.modes, all?.scale], [[1, 3], ["full", "waiting"], 1]);
  const some = readOptions([
    "--only",
    "pdf,api",
    "--replicas",
    "3",
    "--mode",
    "waiting",
    "--quick",
  ]);
  assert.equal(some?.survive, false);
  assert.deepEqual(some?.stages.map(({ name }) => name), ["api", "pdf"]);
  assert.deepEqual([some?.replicas, some?.modes], [[3], ["waiting"]]);
  assert.deepEqual([all?.cores, readOptions(["--cores", "0.1"])?.cores], [0.25, 0.1]);
  assert.equal(readOptions(["--help"]), undefined);
});

test("readOptions() refuses unknown options", () => {
  assert.throws(() => readOptions(["--only", "cook"]), /Cannot measure "cook"/);
  assert.throws(() => readOptions(["--replicas", "2"]), /Cannot measure "2"/);
  assert.throws(() => readOptions(["--workers", "0"]), /Cannot start "0" workers/);
  assert.throws(() => readOptions(["--cores", "few"]), /Cannot limit workers to "few"/);
});
