import { connect } from "@nats-io/transport-node";
import { readFileSync } from "node:fs";
import { freePort, openNatsServer } from "@posthaste/embedded";
import { errorType } from "@posthaste/telemetry";
import { takesLong, until } from "@posthaste/kit";
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { openTestBus, openTestLogger, requested } from "./_test_bus.ts";
import { openBus } from "./bus.ts";
import { runStep } from "./step.ts";

takesLong();

const RENDER = { v: 2, accountId: "acc_1", templateId: 1, version: 1, variables: {} } as const;

/** Returns what a promise is rejected with. */
function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(() => assert.fail("it did not fail"), (error) => error);
}

/** Connects beside a bus and as one does. Returns whether it counts as dead by now. */
async function watchConnection(url: string) {
  const connection = await connect({ servers: url, pingInterval: 5000, maxPingOut: 2 });
  let isDead = false;
  const watching = (async () => {
    for await (const { type } of connection.status()) {
      isDead ||= type === "disconnect" || type === "staleConnection";
    }
  })();
  return {
    isDead: () => isDead,
    async [Symbol.asyncDispose]() {
      await connection.close();
      await watching;
    },
  };
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
  test("openBus() reports immediately that the broker is away, unless it is to wait", async () => {
    const port = await freePort();
    const error = await failureOf(openBus({ url: `nats://127.0.0.1:${port}`, name: "test" }));
    // After a wait it would be "timeout".
    assert.equal(errorType(error), "unavailable");
  });

  test("openBus() waits for a broker that is away at first, and logs that it does", async () => {
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

  test("openBus() stops waiting when its signal aborts", async () => {
    const port = await freePort();
    const stop = new AbortController();
    const logger = openTestLogger();
    const waiting = { signal: stop.signal, logger };
    const opening = openBus({ url: `nats://127.0.0.1:${port}`, name: "test", waiting });
    await until(() => logger.lines.some((line) => /Cannot reach the broker/.test(line)));
    stop.abort();
    // The broker never comes.
    assert.equal(await failureOf(opening), stop.signal.reason);
  });

  test("publish() is bounded and fails as an outage while the broker is down, and works again after", async () => {
    await using open = await openTestBus();
    const { bus, nats } = open;
    await nats.kill();
    const order: string[] = [];
    const fails = async (name: string, work: Promise<unknown>) => {
      const error = await failureOf(work);
      order.push(name);
      assert.ok(await isOutage(error), `${name}: ${error}`);
    };
    await Promise.all([
      fails("unhurried", bus.publish(requested("acc_1"))),
      fails("asked", bus.ask("render.requested", RENDER, { timeoutMs: 600_000 })),
      fails("hurried", bus.publish(requested("acc_1"), { timeoutMs: 500 })),
    ]);
    assert.deepEqual(order, ["hurried", "asked", "unhurried"]);
    await nats.restart();
    await until(() => bus.publish(requested("acc_1")).then(() => true));
  });

  test("openBus() gives a bus that closes soon though the broker hangs", async () => {
    await using open = await openTestBus();
    await using beside = await watchConnection(open.nats.url);
    const bus = await openBus({ url: open.nats.url, name: "hanging" });
    open.nats.signal("SIGSTOP");
    await bus[Symbol.asyncDispose]();
    assert.equal(beside.isDead(), false, "it waited until its connection counted as dead");
    open.nats.signal("SIGCONT");
  });

  test("publish() is bounded and fails as an outage while the broker hangs", async () => {
    await using open = await openTestBus();
    const { bus, nats } = open;
    nats.signal("SIGSTOP");
    // What it reads before the signal arrives it still stores.
    await until(() => /^State:\s+T/m.test(readFileSync(`/proc/${nats.pid}/status`, "utf8")));
    let hasEnded = false;
    const unhurried = bus.publish(requested("acc_1")).finally(() => hasEnded = true);
    const error = await failureOf(bus.publish(requested("acc_1"), { timeoutMs: 500 }));
    assert.equal(hasEnded, false);
    nats.signal("SIGCONT");
    assert.ok(await isOutage(error), String(error));
    await unhurried;
  });
});

test("queueStates() returns what waits in front of the consumers of a stream", async () => {
  await using opened = await openTestBus();
  const { bus } = opened;
  for (let index = 0; index < 3; index++) await bus.publish(requested("acc_1", "bulk"));
  const ofRenderer = ({ consumer }: { consumer: string }) => consumer === "renderer_bulk";
  // The broker counts an event for its consumer a moment after it has stored it.
  await until(async () => (await bus.queueStates(["RENDER"])).find(ofRenderer)?.waiting === 3);
  const states = await bus.queueStates(["RENDER", "MAIL"]);
  const bulk = { consumer: "renderer_bulk", stream: "RENDER", priority: "bulk" };
  assert.deepEqual(states.find(ofRenderer), { ...bulk, waiting: 3, inFlight: 0 });
  assert.deepEqual(states.map(({ consumer }) => consumer).toSorted(), [
    ...["mailer_bulk", "mailer_transactional", "renderer_bulk", "renderer_transactional"],
  ]);
});
