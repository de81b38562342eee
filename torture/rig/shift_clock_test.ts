import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import process from "node:process";
import { test } from "node:test";
import { shiftedClock } from "./shifted_clock.ts";

test("shiftedClock() moves the clock of a process, and nothing else of it", () => {
  const script = `const given = new Date(5);
    console.log(JSON.stringify([Date.now(), new Date().getTime(), given.getTime(), given instanceof Date]))`;
  const env = { ...process.env, ...shiftedClock(20 * 60_000) };
  const before = Date.now();
  const text = execFileSync(process.execPath, ["--eval", script], { env, encoding: "utf8" });
  const [now = 0, made = 0, given, isDate] = JSON.parse(text);
  for (const ms of [now, made]) assert.ok(ms >= before + 1_200_000 && ms < before + 1_260_000);
  assert.deepEqual([given, isDate], [5, true]);
});
