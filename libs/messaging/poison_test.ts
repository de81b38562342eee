import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { openTestBus, requested } from "./_test_bus.ts";
import { MAX_LOST } from "./step.ts";

test("consume() gives up the event that ends its worker, and none of those beside it", async (context) => {
  await using opened = await openTestBus();
  const { bus, nats } = opened;
  await bus.applyTopology({ ackWaitMs: 600 });
  const innocent = Array.from({ length: 20 }, (_, n) => `innocent-${n}`);
  const accounts = innocent.toSpliced(7, 0, "poison");
  for (const account of accounts) await bus.publish(requested(account));
  const said: string[] = [];
  let workers = 0;
  for (; !said.includes("given up poison") && workers < 16; workers++) {
    const fixture = join(import.meta.dirname, "_crashing_fixture.ts");
    const worker = spawn(process.execPath, [fixture, nats.url], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    context.after(() => worker.kill("SIGKILL"));
    worker.stdout.setEncoding("utf8").on("data", (text: string) => {
      said.push(...text.trim().split("\n"));
      const isOver = accounts.every((account) => said.some((line) => line.endsWith(account)));
      if (isOver) worker.kill("SIGKILL");
    });
    await once(worker, "close");
  }
  assert.deepEqual(said.filter((line) => line.startsWith("given up")), ["given up poison"]);
  for (const account of innocent) assert.ok(said.includes(`done ${account}`), account);
  // The first two deliveries count for nobody; the last worker lives.
  assert.ok(workers <= 2 + MAX_LOST + 1, `${workers} workers`);
});
