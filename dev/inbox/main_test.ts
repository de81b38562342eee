import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";

test("main closes within 2 s of a SIGTERM, with a page still listening for events", async () => {
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
  const since = Date.now();
  child.kill("SIGTERM");
  const [code] = await once(child, "exit");
  assert.equal(code, 0);
  assert.ok(Date.now() - since < 2000);
  await events.body?.cancel().catch(() => {});
  await rm(dataDir, { recursive: true });
});
