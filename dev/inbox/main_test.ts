import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";

test("main closes at a SIGTERM though a page still listens for events", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "inbox-main-"));
  const child = spawn(process.execPath, [join(import.meta.dirname, "main.ts")], {
    env: { ...process.env, SMTP_PORT: "0", WEB_PORT: "0", DATA_DIR: dataDir },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const { webPort, message } = JSON.parse((await lines.next()).value ?? "{}");
  assert.equal(message, "inbox is open");
  const events = await fetch(`http://127.0.0.1:${webPort}/api/events`);
  assert.equal(events.status, 200);
  child.kill("SIGTERM");
  const [code] = await once(child, "exit");
  // The page never stopped listening.
  assert.equal(code, 0);
  await events.body?.cancel().catch(() => {});
  await rm(dataDir, { recursive: true });
});
