import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, mkdtemp, readdir, readFile, readlink, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { suite, test } from "node:test";
import { promisify } from "node:util";
import { BROWSER_USER, isRoot } from "./launch_browser.ts";
import { processTree } from "./process_tree.ts";
import { CACHE_DIR, job, NO_CHROMIUM, openTestBrowser, textOf } from "./_test_browser.ts";

const run = promisify(execFile);
const NO_SANDBOX = process.env["SANDBOX"] === "off" && "SANDBOX=off";

suite("Chromium's sandbox", { skip: NO_CHROMIUM }, () => {
  test("is on in each process that shows a document, and none is root's", {
    skip: NO_SANDBOX,
  }, async () => {
    const warnings: string[] = [];
    await using browser = await openTestBrowser({
      ...{ concurrency: 1, sandbox: "auto" },
      log: (level, message) => void (level === "warn" && warnings.push(message)),
    });
    const { pdf } = await browser.print(job("<p>inside, 日本語"));
    const text = (await textOf(pdf)).map((each) => each.normalize("NFKC"));
    assert.deepEqual([text, warnings], [["inside, 日本語"], []]);
    const own = await readlink("/proc/self/ns/user");
    let shown = 0;
    for (const each of processTree(browser.stats().pids[0] ?? 0)) {
      const [command, status] = await Promise.all(
        ["cmdline", "status"].map((file) => readFile(`/proc/${each}/${file}`, "utf8")),
      ).catch(() => []);
      // It has ended meanwhile: some of Chromium's processes live only a moment.
      if (command === undefined || status === undefined) continue;
      assert.doesNotMatch(command, /--no-sandbox/);
      if (isRoot()) {
        assert.match(status, new RegExp(`^Uid:(\\s+${BROWSER_USER}){4}$`, "m"), command);
        assert.match(status, new RegExp(`^Groups:\\s*$`, "m"), command);
      }
      if (!command.includes("--type=renderer")) continue;
      shown++;
      assert.match(status, /^Seccomp:\s+2$/m);
      assert.notEqual(await readlink(`/proc/${each}/ns/user`).catch(() => "another's"), own);
    }
    assert.ok(shown > 0, "a document was shown");
  });

  test("leaves nothing behind of a browser that another user ran", {
    skip: NO_SANDBOX || !isRoot() && "only root runs it as another user",
  }, async (context) => {
    const cacheDir = await mkdtemp(join(tmpdir(), "posthaste-sandbox-"));
    context.after(() => rm(cacheDir, { recursive: true, force: true }));
    // The other files belong to browsers that run beside this one.
    const wanted = (await readdir(CACHE_DIR)).filter((name) => /^(?:chromium-|fonts$)/.test(name));
    await run("cp", ["--recursive", ...wanted.map((name) => join(CACHE_DIR, name)), cacheDir]);
    const profiles = async () =>
      (await readdir(cacheDir)).filter((name) => name.startsWith("profile-"));

    // Closed to every other user: nothing is printed, and certainly not without a sandbox.
    const closed = await openTestBrowser({ cacheDir, sandbox: "auto" });
    await assert.rejects(closed.print(job("x")), (error: Error) => {
      assert.match(
        String(error.cause),
        /Cannot start the browser with its sandbox: User 65534 cannot read \S+; set CACHE_DIR/,
      );
      return true;
    }).finally(() => closed[Symbol.asyncDispose]());
    assert.deepEqual(await profiles(), []);

    await chmod(cacheDir, 0o755);
    const browser = await openTestBrowser({ cacheDir, sandbox: "auto" });
    await browser.print(job("x"));
    assert.equal((await profiles()).length, 1);
    process.kill(browser.stats().pids[0] ?? 0, "SIGKILL");
    await browser.print(job("x"));
    await browser[Symbol.asyncDispose]();
    assert.deepEqual(await profiles(), []);
  });

  test("is not available to root: `on` then prints nothing, and reports why", {
    skip: !isRoot(),
  }, async () => {
    await using browser = await openTestBrowser({ sandbox: "on" });
    await assert.rejects(browser.print(job("x")), (error: Error & { code?: string }) => {
      assert.equal(error.code, "unavailable");
      assert.match(String(error.cause), /the service runs as root; set SANDBOX=auto/);
      return true;
    });
  });
});
