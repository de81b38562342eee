import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { forkSandboxed } from "./_sandbox_process.ts";

test("a worker reaches no file, process, network or name, even with code of its own", async (t) => {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const secret = fileURLToPath(new URL("../../package.json", import.meta.url));
  assert.ok(existsSync(secret));

  const child = forkSandboxed("_sandbox_fixture.ts", [String(port), secret], { memoryMb: 64 });
  t.after(() => child.kill("SIGKILL"));
  const report = await new Promise<{ reached: string[]; refused: Record<string, string> }>(
    (done, fail) => {
      child.on("message", (message: { reached?: string[] }) => {
        if (message.reached) done(message as Awaited<typeof report>);
      });
      child.on("exit", () => fail(new Error("the worker is gone")));
    },
  );
  // On Deno, a thread has the permissions of its process, which are none. The same is true of a binding.
  const harmless = process.versions["deno"] === undefined ? [] : ["a thread", "a binding"];
  assert.deepEqual(report.reached, harmless, JSON.stringify(report.refused, null, 1));
  assert.equal(connections, 0);
  assert.ok(Object.keys(report.refused).length >= 25);
  assert.ok(!Object.values(report.refused).some((reason) => /not defined|Unexpected/.test(reason)));
});
