import { ok } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import process from "node:process";
import { test } from "node:test";
import { cpuBetween, readCpu } from "./process_cpu.ts";

function burn(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

test("readCpu() counts what a process and its ended children have used, each by its name", () => {
  const roots = [{ name: "own", pid: process.pid, descendants: "below" }];
  const before = readCpu(roots);
  burn(150);
  const script = "for (const end = performance.now() + 150; performance.now() < end;);";
  spawnSync(process.execPath, ["-e", script]);
  const used = cpuBetween(before, readCpu(roots));
  ok((used["own"] ?? 0) >= 50, `own: ${used["own"]}`);
  ok((used["below"] ?? 0) >= 50, `below: ${used["below"]}`);
});
