import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, cp, mkdtemp, readFile, readlink, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { isRoot } from "./launch_browser.ts";
import { processTree } from "./process_tree.ts";
import type { SandboxedPrint } from "./_test_sandboxed_process.ts";
import { CACHE_DIR, job, NO_CHROMIUM, openTestBrowser } from "./_test_browser.ts";

const run = promisify(execFile);
const PROCESS = fileURLToPath(new URL("_test_sandboxed_process.ts", import.meta.url));
/** "nobody", where the tests run as root. */
const USER = isRoot() ? { uid: 65534, gid: 65534 } : {};

suite("Chromium's sandbox", { skip: NO_CHROMIUM }, () => {
  test("is on where the kernel allows, in each process that shows a document", async (context) => {
    const home = await mkdtemp(join(tmpdir(), "posthaste-sandbox-"));
    context.after(() => rm(home, { recursive: true, force: true }));
    await cp(CACHE_DIR, join(home, ".cache/posthaste/chromium"), { recursive: true, force: true });
    for (const folder of ["", ".cache", ".cache/posthaste", ".cache/posthaste/chromium"]) {
      if (USER.uid !== undefined) await chown(join(home, folder), USER.uid, USER.gid);
    }
    const look = `require("node:fs").accessSync(${JSON.stringify(PROCESS)})`;
    const isThere = await run(process.execPath, ["-e", look], USER).then(() => true, () => false);
    if (!isThere) return context.skip("another user cannot read this folder");
    const mayHave = await run("unshare", ["-U", "true"], USER).then(() => true, () => false);
    if (!mayHave) return context.skip("the kernel allows no user namespaces");
    const child = spawn(process.execPath, [PROCESS], {
      ...USER,
      env: { PATH: process.env["PATH"], HOME: home },
      stdio: ["pipe", "pipe", "inherit"],
    });
    const ended = once(child, "close");
    try {
      const [line] = await Promise.race([once(createInterface(child.stdout), "line"), ended]);
      const { text, pid, warnings } = JSON.parse(String(line)) as SandboxedPrint;
      assert.deepEqual([text, warnings], [["inside"], []]);
      const own = await readlink("/proc/self/ns/user");
      let shown = 0;
      for (const each of await processTree(pid ?? 0)) {
        const command = await readFile(`/proc/${each}/cmdline`, "utf8");
        assert.doesNotMatch(command, /--no-sandbox/);
        if (!command.includes("--type=renderer")) continue;
        shown++;
        assert.match(await readFile(`/proc/${each}/status`, "utf8"), /^Seccomp:\s+2$/m);
        if (isRoot()) assert.notEqual(await readlink(`/proc/${each}/ns/user`), own);
      }
      assert.ok(shown > 0, "a document was shown");
    } finally {
      child.stdin.end();
      await ended;
    }
  });

  test("is refused to root: `on` then prints nothing", { skip: !isRoot() }, async () => {
    await using browser = await openTestBrowser({ sandbox: "on" });
    await assert.rejects(browser.print(job("x")), { code: "unavailable" });
  });
});
