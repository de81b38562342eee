import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { until } from "@posthaste/kit";
import { findChromium } from "./find_chromium.ts";
import { type LaunchOptions, startBrowser } from "./start_browser.ts";
import { NO_CHROMIUM, WHERE } from "./_test_browser.ts";

async function optionsIn(home: string): Promise<LaunchOptions> {
  const chromium = await findChromium(WHERE);
  const fontsFile = join(home, "fonts.conf");
  return {
    chromium,
    fontsFile,
    home,
    proxyPort: 9,
    sandbox: false,
    niceness: 0,
    launchTimeout: 20_000,
  };
}

suite("startBrowser()", { skip: NO_CHROMIUM }, () => {
  test("leaves nothing behind once the browser has closed", async (context) => {
    const home = await mkdtemp(join(tmpdir(), "posthaste-pdf-"));
    context.after(() => rm(home, { recursive: true, force: true }));
    const { connection, ended } = await startBrowser(await optionsIn(home));
    assert.ok((await readdir(home)).some((name) => name.startsWith("profile-")));
    await connection.send("Browser.close", {}).catch(() => undefined);
    await ended;
    await connection.closed;
    assert.deepEqual((await readdir(home)).filter((name) => name.startsWith("profile-")), []);
  });

  test("reports the output of a program that is not a browser", async (context) => {
    const home = await mkdtemp(join(tmpdir(), "posthaste-pdf-"));
    context.after(() => rm(home, { recursive: true, force: true }));
    const options = await optionsIn(home);
    const chromium = { ...options.chromium, executablePath: join(home, "missing") };
    await assert.rejects(startBrowser({ ...options, chromium }), {
      message: /^Cannot start the browser: .*missing/s,
    });
    assert.deepEqual((await readdir(home)).filter((name) => name.startsWith("profile-")), []);
  });

  test("starts a browser that ends with the service, even if that is killed", async (context) => {
    const home = await mkdtemp(join(tmpdir(), "posthaste-pdf-"));
    context.after(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));
    const program = `
      import { startBrowser } from ${JSON.stringify(import.meta.resolve("./start_browser.ts"))};
      const { pid } = await startBrowser(${JSON.stringify(await optionsIn(home))});
      process.stdout.write(String(pid), () => process.kill(process.pid, "SIGKILL"));
    `;
    const args = ["--input-type=module", "--eval", program];
    const { promise, resolve } = Promise.withResolvers<string>();
    execFile(process.execPath, args, (_error, stdout) => resolve(stdout));
    const pid = await promise;
    assert.match(pid, /^\d+$/);
    const stateOf = () => readFile(`/proc/${pid}/stat`, "utf8").catch(() => ") X");
    await until(async () => /\) [XZ]/.test(await stateOf()));
  });
});
