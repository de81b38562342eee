import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { openProcessorTime } from "./_processor_time.ts";

test("openProcessorTime() returns the time that a process worked, not that it waited", () => {
  const time = openProcessorTime(process.pid);
  const before = time.read();
  if (process.platform !== "linux") return assert.equal(before, undefined);
  assert.ok(before !== undefined && before > 0);
  const { user, system } = process.cpuUsage();
  while (process.cpuUsage().user - user < 200_000);
  const worked = (process.cpuUsage().user + process.cpuUsage().system - user - system) / 1_000;
  const reported = (time.read() ?? 0) - before;
  assert.ok(Math.abs(reported - worked) < 60, `${reported} for ${worked}`);
  time.close();
  assert.equal(time.read(), undefined);
});

test("openProcessorTime() returns nothing for a process that does not exist", () => {
  assert.equal(openProcessorTime(undefined).read(), undefined);
});
