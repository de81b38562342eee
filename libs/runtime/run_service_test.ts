import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposable, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "node:test";

const { PATH, NODE_COMPILE_CACHE } = process.env;
const MODULE = JSON.stringify(new URL("./mod.ts", import.meta.url).href);

interface Service extends AsyncDisposable {
  child: ChildProcess;
  records: Record<string, unknown>[];
  stderr: Promise<string>;
  /** Waits for a record with this message. */
  said(message: string): Promise<Record<string, unknown>>;
  exited: Promise<number | null>;
}

function startService(
  run: string,
  options: { env?: Record<string, string>; ipc?: boolean; pipe?: boolean } = {},
): Service {
  const script = `
    import { runService, setting } from ${MODULE};
    import { once } from "node:events";
    import { setTimeout as delay } from "node:timers/promises";
    import { z } from ${JSON.stringify(import.meta.resolve("zod"))};
    const config = z.object({ A: setting.port().prefault("1"), KEY: setting.text({ secret: true, min: 9 }),
      URL: setting.url({ secret: true }).optional() });
    await runService({ name: "demo", env: process.env, config, run: ${run} });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    env: { PATH, NODE_COMPILE_CACHE, KEY: "123456789", ...options.env },
    stdio: ["ignore", "pipe", "pipe", options.ipc ? "ipc" : options.pipe ? "pipe" : "ignore"],
  });
  assert.ok(child.stdout && child.stderr);
  const records: Record<string, unknown>[] = [];
  const lines = createInterface(child.stdout);
  lines.on("line", (line) => records.push(JSON.parse(line)));
  const exited = Promise.all([once(child, "exit"), once(lines, "close")])
    .then(([[code]]) => code as number | null);
  return {
    child,
    records,
    stderr: text(child.stderr),
    exited,
    said: async (message) => {
      for (const _ of Array(500)) {
        const record = records.find((record) => record["message"] === message);
        if (record !== undefined) return record;
        await delay(20);
      }
      assert.fail(`"${message}" was not said: ${JSON.stringify(records)}`);
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

const DRAINS = `async ({ config, signal, logger }) => {
  await using part = { [Symbol.asyncDispose]: async () => logger.info("Part closed") };
  logger.info("Working", { port: config.A });
  const keepAlive = setInterval(() => {}, 1000);
  await once(signal, "abort");
  await delay(300);
  clearInterval(keepAlive);
  logger.info("Work in progress is done");
}`;

const HANGS = `async ({ signal, logger, hold }) => {
  using _ = hold("message 42");
  setInterval(() => {}, 1000);
  logger.info("Working");
  await new Promise(() => {});
}`;

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  test(`runService() finishes the work in progress on ${signal}, closes and exits with 0`, async () => {
    await using service = startService(DRAINS);
    await service.said("Working");
    service.child.kill(signal);
    assert.equal(await service.exited, 0);
    assert.deepEqual(service.records.map((record) => record["message"]), [
      "Starting",
      "Working",
      "Stopping",
      "Work in progress is done",
      "Part closed",
      "Stopped",
    ]);
  });
}

test("runService() stops when its parent ends, by the channel or by a pipe", async () => {
  await using forked = startService(DRAINS, { ipc: true });
  await using piped = startService(DRAINS, { pipe: true, env: { POSTHASTE_PARENT_PIPE: "3" } });
  await Promise.all([forked.said("Working"), piped.said("Working")]);
  forked.child.disconnect();
  (piped.child.stdio[3] as import("node:net").Socket).destroy();
  assert.deepEqual(await Promise.all([forked.exited, piped.exited]), [0, 0]);
  assert.equal((await piped.said("Stopping"))["reason"], "the parent process is gone");
});

test("runService() leaves its compiled code to the next process, even if it is killed", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "posthaste-compiled-"));
  await using service = startService(DRAINS, { env: { NODE_COMPILE_CACHE: folder.path } });
  await service.said("Working");
  service.child.kill("SIGKILL");
  await service.exited;
  const files = await readdir(folder.path, { recursive: true });
  assert.ok(files.length > 100, `${files.length} files`);
});

test("runService() exits with 1 when a signal is repeated, and names what hung", async () => {
  await using service = startService(HANGS);
  await service.said("Working");
  service.child.kill("SIGINT");
  service.child.kill("SIGINT");
  service.child.kill("SIGTERM");
  await delay(700);
  assert.equal(service.child.exitCode, null, "repeats within the same press count once");
  service.child.kill("SIGINT");
  assert.equal(await service.exited, 1);
  const last = service.records.at(-1);
  assert.equal(last?.["message"], 'Cannot stop "demo" in order: SIGINT was received twice');
  assert.deepEqual(last?.["held"], ["message 42"]);
});

test("runService() exits with 1 when the deadline passes, and names what hung", async () => {
  await using service = startService(HANGS, { env: { SHUTDOWN_DEADLINE: "300ms" } });
  await service.said("Working");
  service.child.kill("SIGTERM");
  assert.equal(await service.exited, 1);
  const last = service.records.at(-1);
  assert.equal(last?.["message"], 'Cannot stop "demo" within 300 ms');
  assert.deepEqual(last?.["held"], ["message 42"]);
  assert.ok((last?.["open"] as string[]).includes("Timeout"));
});

test("runService() prints wrong settings one per line, without secrets, and exits with 2", async () => {
  await using service = startService(DRAINS, {
    env: { A: "x", KEY: "hunter2", HEALTH_PORT: "y" },
    ipc: true,
  });
  assert.equal(await service.exited, 2);
  assert.deepEqual((await service.stderr).trimEnd().split("\n"), [
    'Cannot start "demo": the settings are wrong',
    '  A is "x": expected a port from 0 to 65535',
    "  KEY has a wrong value (not shown): expected a text of at least 9 characters",
    '  HEALTH_PORT is "y": expected a port from 0 to 65535',
  ]);
});

test("runService() logs an error of its service and exits with 1", async () => {
  const thrown = `async () => { throw new Error("no database", { cause: new Error("refused") }); }`;
  const stray = `async ({ signal }) => {
    setTimeout(() => Promise.reject(new Error("stray")), 10);
    await delay(5000, undefined, { signal });
  }`;
  await using first = startService(thrown);
  await using second = startService(stray);
  assert.deepEqual(await Promise.all([first.exited, second.exited]), [1, 1]);
  const { error } = await first.said('Cannot run "demo"') as { error: { cause: object } };
  assert.equal((error.cause as { message: string }).message, "refused");
  await second.said("Cannot continue: uncaught error");
});

test("runService() takes an abort by its own signal as an orderly stop", async () => {
  await using service = startService(`async ({ signal, logger }) => {
    logger.info("Working");
    await delay(60000, undefined, { signal });
  }`);
  await service.said("Working");
  service.child.kill("SIGTERM");
  assert.equal(await service.exited, 0);
});

test("runService() ends a process in which something was left open", async () => {
  await using service = startService(`async () => { setInterval(() => {}, 1000); }`);
  assert.equal(await service.exited, 0);
  await service.said("Stopping with open resources");
});

test("runService() serves health on HEALTH_PORT", async () => {
  await using service = startService(
    `async ({ signal, logger, health }) => {
      health.add("self", () => true);
      logger.info("Working", { port: health.port });
      await once(signal, "abort");
    }`,
    { env: { HEALTH_PORT: "0", HEALTH_HOST: "127.0.0.1" } },
  );
  const { port } = await service.said("Working");
  assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200);
  service.child.kill("SIGTERM");
  assert.equal(await service.exited, 0);
});

test("runService() shows no secret in the log or in a diagnostic report, however it ends", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "posthaste-report-"));
  const key = "CanaryKey";
  const url = "mongodb://root:CanaryPassword";
  const flags = ["on-signal", "uncaught-exception", "on-fatalerror"]
    .map((name) => `--report-${name}`);
  // Like the database's driver, which quotes what it cannot read.
  const breaks = `async ({ logger }) => {
    const { KEY, URL: url } = process.env;
    const quoted = "Unable to parse " + url.slice(10);
    setInterval(() => {}, 1000);
    process.kill(process.pid, "SIGUSR2");
    await delay(500);
    const cause = Object.assign(new Error(quoted), { input: url });
    logger.warn("Cannot reach " + url, { url, list: [KEY], error: cause });
    setTimeout(() => { throw new Error(quoted, { cause }); });
    await new Promise(() => {});
  }`;
  await using service = startService(breaks, {
    env: {
      KEY: key,
      URL: url,
      OTEL_EXPORTER_OTLP_HEADERS: "api-key=CanaryHeader",
      NODE_OPTIONS: `${flags.join(" ")} --report-directory=${folder.path}`,
    },
  });
  assert.equal(await service.exited, 1);
  assert.ok(await service.said("Cannot continue: uncaught error"));
  const reports = await Promise.all(
    (await readdir(folder.path)).map((name) => readFile(join(folder.path, name), "utf8")),
  );
  assert.ok(reports.length > 0, "the signal makes a report");
  for (const text of [JSON.stringify(service.records), await service.stderr, ...reports]) {
    assert.doesNotMatch(text, /Canary/);
  }
});
