import { ok } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import process from "node:process";
import { test } from "node:test";
import { cpuBetween, readCpu } from "./process_cpu.ts";

/** Uses 150 ms of processor time. */
function burn(): void {
  const spent = () => process.cpuUsage().user + process.cpuUsage().system;
  for (const end = spent() + 150_000; spent() < end;);
}

test("readCpu() counts what a process and its ended children have used, each by its name", () => {
  const roots = [{ name: "own", pid: process.pid, descendants: "below" }];
  const before = readCpu(roots);
  burn();
  spawnSync(process.execPath, ["-e", `(${burn})()`]);
  const used = cpuBetween(before, readCpu(roots));
  ok((used["own"] ?? 0) >= 50, `own: ${used["own"]}`);
  ok((used["below"] ?? 0) >= 50, `below: ${used["below"]}`);
});
