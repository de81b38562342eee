import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { openNatsServer } from "@posthaste/parts";
import { injectTrace, startTelemetry } from "@posthaste/telemetry";
import { until } from "@posthaste/testing";
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openTestBus, openTestLogger, resumed } from "./_test_bus.ts";
import { type Bus, openBus } from "./bus.ts";
import type { Step } from "./step.ts";

interface Arrival {
  attempt: number;
  index: number;
  traceId: string | undefined;
}

/** Eats what has come due while the test runs. */
function awaitDue(bus: Bus) {
  const stop = new AbortController();
  const arrivals: Arrival[] = [];
  const step: Step<"send.resumed"> = {
    name: "test.resume",
    handle: ({ data }) => {
      const traceId = injectTrace().traceparent?.split("-")[1];
      for (const message of data.again) arrivals.push({ ...message, traceId });
      return Promise.resolve({ type: "done", publish: [] });
    },
    giveUp: () => ({ publish: [] }),
  };
  const ended = bus.consume(step, {
    consumer: "renderer_retry_transactional",
    concurrency: 4,
    signal: stop.signal,
    logger: openTestLogger(),
  });
  return {
    arrivals,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

function soon(ms: number): Date {
  return new Date(Date.now() + ms);
}

suite("publishEvent()", { concurrency: 4 }, () => {
  test("publishEvent() has an event wait for its time, and keeps nothing of it after", async () => {
    await using open = await openTestBus();
    const { bus } = open;
    await using due = awaitDue(bus);
    await bus.publish(resumed(1, { notBefore: soon(3600_000), index: 1 }));
    await bus.publish(resumed(2, { notBefore: soon(2500), index: 2 }));
    await bus.publish(resumed(3, { notBefore: soon(500), index: 3 }));
    await until(() => due.arrivals.length === 2);
    assert.deepEqual(due.arrivals.map(({ attempt }) => attempt), [3, 2]);
    await until(async () => (await bus.streamStates()).get("RETRY")?.messages === 1);
    assert.equal(due.arrivals.length, 2);
  });

  test("publishEvent() brings an event whose time is over at once", async () => {
    await using open = await openTestBus();
    await using due = awaitDue(open.bus);
    await open.bus.publish(resumed(1, { notBefore: soon(60_000) }));
    await open.bus.publish(resumed(2, { notBefore: soon(-60_000), index: 1 }));
    await until(() => due.arrivals.length === 1);
    assert.deepEqual(due.arrivals.map(({ attempt }) => attempt), [2]);
  });

  test("publishEvent() replaces what waits for the same message", async () => {
    await using open = await openTestBus();
    const { bus } = open;
    await using due = awaitDue(bus);
    await bus.publish(resumed(1, { notBefore: soon(500) }));
    const notBefore = soon(1500);
    await bus.publish(resumed(2, { notBefore }));
    await bus.publish(resumed(7, { notBefore: soon(300), index: 1 }));
    assert.equal((await bus.streamStates()).get("RETRY")?.messages, 2);
    await until(() => due.arrivals.length === 2);
    assert.deepEqual(due.arrivals.map(({ index, attempt }) => [index, attempt]), [[1, 7], [0, 2]]);
    await until(async () => (await bus.streamStates()).get("RETRY")?.messages === 0);
    assert.equal(due.arrivals.length, 2);
  });

  test("publishEvent() has an event come though the broker was killed past its time", async () => {
    await using open = await openTestBus();
    const { bus, nats } = open;
    await using due = awaitDue(bus);
    const notBefore = soon(800);
    await bus.publish(resumed(2, { notBefore: soon(4500), index: 1 }));
    await bus.publish(resumed(1, { notBefore }));
    await nats.kill();
    await delay(notBefore.getTime() - Date.now() + 200);
    assert.equal(due.arrivals.length, 0);
    await nats.restart();
    await until(() => due.arrivals.length === 2);
    assert.deepEqual(due.arrivals.map(({ attempt, index }) => [attempt, index]), [[1, 0], [2, 1]]);
  });

  test("publishEvent() lets the trace of an event go on after it has waited", async (t: TestContext) => {
    const telemetry = await startTelemetry({ service: "test", env: {} });
    t.after(() => telemetry[Symbol.asyncDispose]());
    await using open = await openTestBus();
    await using due = awaitDue(open.bus);
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    await open.bus.publish(resumed(1, { notBefore: soon(300) }), {
      trace: { traceparent: `00-${traceId}-b7ad6b7169203331-01` },
    });
    const [arrival] = await until(() => due.arrivals.length > 0 && due.arrivals);
    assert.equal(arrival?.traceId, traceId);
  });

  test("publishEvent() stores an event that waits once, though it is published twice", async () => {
    await using open = await openTestBus();
    await using due = awaitDue(open.bus);
    const { bus } = open;
    // As after a lost confirmation: the event has fired meanwhile.
    await bus.publish(resumed(1, { notBefore: soon(0) }), { id: "one" });
    await until(() => due.arrivals.length === 1);
    await bus.publish(resumed(1, { notBefore: soon(0) }), { id: "one" });
    await bus.publish(resumed(2, { notBefore: soon(0), index: 1 }), { id: "two" });
    await until(() => due.arrivals.length === 2);
    assert.deepEqual(due.arrivals.map(({ attempt }) => attempt), [1, 2]);
  });

  test("a broker that loses its data loses what waits there: the sweeper covers that", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "posthaste-wiped-"));
    await using nats = await openNatsServer({ env: process.env, dataDir, isTemporary: true });
    await using bus = await openBus({ url: nats.url, name: "test" });
    await bus.applyTopology();
    await using due = awaitDue(bus);
    await bus.publish(resumed(1, { notBefore: soon(1000) }));
    await nats.kill();
    for (const name of await readdir(dataDir)) {
      await rm(join(dataDir, name), { recursive: true });
    }
    await nats.restart();
    await until(() => bus.applyTopology().then(() => true));
    await bus.publish(resumed(2, { notBefore: soon(2000), index: 1 }));
    await until(() => due.arrivals.length > 0);
    assert.deepEqual(due.arrivals.map(({ attempt }) => attempt), [2]);
    await rm(dataDir, { recursive: true, force: true });
  });

  test("applyTopology() gives retries a stream that schedules, and leaves what waits there be", async () => {
    await using open = await openTestBus();
    const connection = await connect({ servers: open.nats.url });
    const manager = await jetstreamManager(connection);
    const { config } = await manager.streams.info("RETRY");
    assert.equal(config.allow_msg_schedules, true);
    assert.deepEqual(
      [config.retention, config.storage, config.discard],
      ["workqueue", "file", "old"],
    );
    await open.bus.publish(resumed(1, { notBefore: soon(60_000) }));
    await open.bus.applyTopology();
    assert.equal((await open.bus.streamStates()).get("RETRY")?.messages, 1);
    const { config: others } = await manager.streams.info("RENDER");
    assert.ok(!others.allow_msg_schedules);
    assert.equal(others.discard, "new");
    assert.equal((await jetstream(connection).streams.get("RETRY")).name, "RETRY");
    await connection.close();
  });
});
