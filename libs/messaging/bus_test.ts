import { readFileSync } from "node:fs";
import { freePort, openNatsServer } from "@posthaste/parts";
import { errorType } from "@posthaste/telemetry";
import { until } from "@posthaste/testing";
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { openTestBus, openTestLogger, requested } from "./_test_bus.ts";
import { openBus } from "./bus.ts";
import { runStep } from "./step.ts";

const RENDER = { v: 1, accountId: "acc_1", templateId: 1, version: 1, variables: {} } as const;

/** What a promise is rejected with, and after how many milliseconds. */
async function failureOf(work: Promise<unknown>): Promise<{ error: unknown; tookMs: number }> {
  const started = performance.now();
  const error = await work.then(() => assert.fail("it did not fail"), (error) => error);
  return { error, tookMs: performance.now() - started };
}

async function isOutage(error: unknown): Promise<boolean> {
  const step = {
    name: "test",
    handle: () => Promise.reject(error),
    giveUp: () => ({ publish: [] }),
  };
  const context = { signal: new AbortController().signal };
  const verdict = await runStep(step, requested("acc_1"), context);
  return verdict.type === "retry" && verdict.outage;
}

suite("openBus()", { concurrency: 4 }, () => {
  test("openBus() says at once that the broker is away, unless it is to wait", async () => {
    const port = await freePort();
    const { error, tookMs } = await failureOf(
      openBus({ url: `nats://127.0.0.1:${port}`, name: "test" }),
    );
    assert.equal(errorType(error), "unavailable");
    assert.ok(tookMs < 2000, `${tookMs} ms`);
  });

  test("openBus() waits for a broker that is away at first, and tells that it does", async () => {
    const port = await freePort();
    const logger = openTestLogger();
    const waiting = { signal: new AbortController().signal, logger };
    const opening = openBus({ url: `nats://127.0.0.1:${port}`, name: "test", waiting });
    await until(() => logger.lines.some((line) => /Cannot reach the broker/.test(line)));
    const dataDir = await mkdtemp(join(tmpdir(), "posthaste-late-"));
    await using _nats = await openNatsServer({ env: process.env, dataDir, port });
    await using bus = await opening;
    await bus.applyTopology();
    await bus.check();
    await rm(dataDir, { recursive: true });
  });

  test("openBus() stops waiting when it is told to", async () => {
    const port = await freePort();
    const stop = new AbortController();
    const logger = openTestLogger();
    const waiting = { signal: stop.signal, logger };
    const opening = openBus({ url: `nats://127.0.0.1:${port}`, name: "test", waiting });
    setTimeout(() => stop.abort(), 300);
    const { error, tookMs } = await failureOf(opening);
    assert.equal(error, stop.signal.reason);
    assert.ok(tookMs < 1500, `${tookMs} ms`);
  });

  test("publish() is bounded and fails as an outage while the broker is down, and works again after", async () => {
    await using open = await openTestBus();
    const { bus, nats } = open;
    await nats.kill();
    const lost = await failureOf(bus.publish(requested("acc_1"), { timeoutMs: 500 }));
    assert.ok(lost.tookMs < 1500, `${lost.tookMs} ms`);
    assert.ok(await isOutage(lost.error), String(lost.error));
    const asked = await failureOf(bus.ask("render.requested", RENDER, { timeoutMs: 30_000 }));
    assert.ok(asked.tookMs < 2000, `${asked.tookMs} ms`);
    assert.ok(await isOutage(asked.error), String(asked.error));
    const unhurried = await failureOf(bus.publish(requested("acc_1")));
    assert.ok(unhurried.tookMs < 11_000, `${unhurried.tookMs} ms`);
    assert.ok(await isOutage(unhurried.error), String(unhurried.error));
    await nats.restart();
    await until(() => bus.publish(requested("acc_1")).then(() => true), { timeoutMs: 10_000 });
  });

  test("openBus() gives a bus that closes soon though the broker hangs", async () => {
    await using open = await openTestBus();
    const bus = await openBus({ url: open.nats.url, name: "hanging" });
    open.nats.signal("SIGSTOP");
    const started = performance.now();
    await bus[Symbol.asyncDispose]();
    const tookMs = performance.now() - started;
    open.nats.signal("SIGCONT");
    assert.ok(tookMs < 5000, `${tookMs} ms`);
  });

  test("publish() is bounded and fails as an outage while the broker hangs", async () => {
    await using open = await openTestBus();
    const { bus, nats } = open;
    nats.signal("SIGSTOP");
    // What it reads before the signal arrives it still stores.
    await until(() => /^State:\s+T/m.test(readFileSync(`/proc/${nats.pid}/status`, "utf8")));
    const { error, tookMs } = await failureOf(bus.publish(requested("acc_1"), { timeoutMs: 500 }));
    nats.signal("SIGCONT");
    assert.ok(tookMs < 1500, `${tookMs} ms`);
    assert.ok(await isOutage(error), String(error));
    await bus.publish(requested("acc_1"));
  });
});

test("queueStates() tells what waits in front of the consumers of a stream", async () => {
  await using opened = await openTestBus();
  const { bus } = opened;
  for (let index = 0; index < 3; index++) await bus.publish(requested("acc_1", "bulk"));
  const states = await bus.queueStates(["RENDER", "MAIL"]);
  const bulk = { consumer: "renderer_bulk", stream: "RENDER", lane: "bulk" };
  assert.deepEqual(states.find(({ consumer }) => consumer === "renderer_bulk"), {
    ...{ ...bulk, waiting: 3, inHand: 0 },
  });
  assert.deepEqual(states.map(({ consumer }) => consumer).toSorted(), [
    ...["mailer_bulk", "mailer_transactional", "renderer_bulk", "renderer_transactional"],
  ]);
});
