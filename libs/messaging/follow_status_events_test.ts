import { newestVersionOf } from "@posthaste/contracts";
import { jetstream } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { openOtlpReceiver, takesLong, until } from "@posthaste/kit";
import { startTelemetry } from "@posthaste/telemetry";
import assert from "node:assert/strict";
import process from "node:process";
import { suite, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { failed, openTestBus, openTestLogger } from "./_test_bus.ts";
import type { FollowOptions, StatusEvent } from "./follow_status_events.ts";

takesLong();

function optionsOf(stop: AbortController): FollowOptions & { logger: { lines: string[] } } {
  return { consumer: "tracker", signal: stop.signal, logger: openTestLogger() };
}

function names(batch: StatusEvent[]): string[] {
  return batch.map(({ data }) => data.accountId);
}

suite("followStatusEvents()", { concurrency: 4 }, () => {
  test("followStatusEvents() hands over many status events together, each once and in order", async () => {
    await using open = await openTestBus();
    const expected = Array.from({ length: 120 }, (_, index) => `acc_${index}`);
    for (const name of expected) await open.bus.publish(failed(name));
    const stop = new AbortController();
    const batches: string[][] = [];
    const ended = open.bus.followStatusEvents(
      (batch) => Promise.resolve(void batches.push(names(batch))),
      { ...optionsOf(stop), batchSize: 50 },
    );
    await until(() => batches.flat().length >= 120);
    stop.abort();
    await ended;
    assert.deepEqual(batches.flat(), expected);
    assert.ok(batches.every(({ length }) => length <= 50));
    assert.ok(batches.length < 60, `${batches.length} batches`);
  });

  test("followStatusEvents() records status events of many traces in one span, with a link to each trace", async () => {
    await using collector = await openOtlpReceiver();
    // The SDK reads its settings from the process itself.
    Object.assign(process.env, collector.env);
    const telemetry = await startTelemetry({ service: "test", env: process.env });
    for (const name of Object.keys(collector.env)) delete process.env[name];
    await using open = await openTestBus();
    const traceIds = ["0af7651916cd43dd8448eb211c80319c", "4bf92f3577b34da6a3ce929d0e0e4736"];
    const stop = new AbortController();
    const batches: string[][] = [];
    const ended = open.bus.followStatusEvents(
      (batch) => Promise.resolve(void batches.push(names(batch))),
      { ...optionsOf(stop), batchSize: 4, everyMs: 60_000 },
    );
    // The first batch need not wait.
    await open.bus.publish(failed("acc_0"));
    await until(() => batches.length === 1);
    // Two status events of one message have one trace, and so one link.
    for (const id of [...traceIds, ...traceIds]) {
      const trace = { traceparent: `00-${id}-b7ad6b7169203331-01` };
      await open.bus.publish(failed("acc_1"), { trace });
    }
    await until(() => batches.length === 2);
    stop.abort();
    await ended;
    await telemetry[Symbol.asyncDispose]();
    // Other tests run at the same time, and their spans are exported, too.
    const spans = collector.spans.filter(({ name, links }) =>
      name === "process status event" && links.some((id) => traceIds.includes(id))
    );
    assert.deepEqual(spans.map(({ links }) => links), [traceIds]);
    const [span] = spans;
    assert.equal(span?.parentSpanId, "");
    assert.equal(Number(span?.attributes["messaging.batch.message_count"]), 4);
  });

  test("followStatusEvents() reports what it records as in progress, also while it stops", async () => {
    await using open = await openTestBus();
    await open.bus.applyTopology({ ackWaitMs: 400 });
    const batches: string[][] = [];
    const follow = (stop: AbortController) =>
      open.bus.followStatusEvents(async (batch) => {
        batches.push(names(batch));
        await delay(1500);
      }, optionsOf(stop));
    const [first, second] = [new AbortController(), new AbortController()];
    await open.bus.publish(failed("acc_1"));
    const stopped = follow(first);
    await until(() => batches.length === 1);
    first.abort();
    const ended = follow(second);
    await stopped;
    second.abort();
    await ended;
    assert.deepEqual(batches, [["acc_1"]]);
  });

  test("followStatusEvents() hands over a single status event without waiting for others", async () => {
    await using open = await openTestBus();
    const stop = new AbortController();
    const batches: string[][] = [];
    const ended = open.bus.followStatusEvents(
      (batch) => Promise.resolve(void batches.push(names(batch))),
      { ...optionsOf(stop), everyMs: 60_000 },
    );
    await open.bus.publish(failed("acc_1"));
    await until(() => batches.length === 1);
    stop.abort();
    await ended;
    assert.deepEqual(batches, [["acc_1"]]);
  });

  test("followStatusEvents() hands over a status event soon after many full batches", async () => {
    await using open = await openTestBus();
    for (let at = 0; at < 200; at++) await open.bus.publish(failed(`acc_${at}`));
    const stop = new AbortController();
    const batches: string[][] = [];
    const ended = open.bus.followStatusEvents(
      (batch) => Promise.resolve(void batches.push(names(batch))),
      // A lone one would have to wait for eight minutes, if each of them had taken a turn.
      { ...optionsOf(stop), batchSize: 2, everyMs: 5000 },
    );
    await until(() => batches.flat().length === 200);
    await open.bus.publish(failed("acc_last"));
    await until(() => batches.flat().length === 201);
    stop.abort();
    await ended;
    assert.deepEqual(batches.at(-1), ["acc_last"]);
  });

  test("followStatusEvents() leaves a status event of a newer version to a newer process, and ends one that is none", async () => {
    await using open = await openTestBus();
    const connection = await connect({ servers: open.nats.url });
    const stream = jetstream(connection);
    const { data } = failed("acc_1");
    await stream.publish(
      "status.message.failed",
      JSON.stringify({ ...data, v: newestVersionOf("status.message.failed") + 1 }),
    );
    await stream.publish("status.message.failed", JSON.stringify({ ...data, v: "x" }));
    await stream.publish(
      "status.message.failed",
      JSON.stringify({ v: newestVersionOf("status.message.failed") }),
    );
    const stop = new AbortController();
    const options = optionsOf(stop);
    const ended = open.bus.followStatusEvents(() => Promise.resolve(), options);
    const consumer = await stream.consumers.get("STATUS", "tracker");
    const givenUp = () => options.logger.lines.filter((line) => line.includes("giving up"));
    await until(() => givenUp().length === 2);
    stop.abort();
    await ended;
    const { num_ack_pending, num_pending } = await consumer.info();
    assert.deepEqual([num_ack_pending, num_pending], [1, 0]);
    const ends = givenUp().map((line) => JSON.parse(line));
    assert.deepEqual(ends.map(({ event, sequence, reason }) => [event, sequence, reason]), [
      ["status.message.failed", 2, "malformed"],
      ["status.message.failed", 3, "malformed"],
    ]);
    await connection.close();
  });

  test("followStatusEvents() lets no row of small batches build up behind a slow ledger", async () => {
    await using open = await openTestBus();
    const stop = new AbortController();
    const batches: string[][] = [];
    const ended = open.bus.followStatusEvents(async (batch) => {
      batches.push(names(batch));
      await delay(400);
    }, { ...optionsOf(stop), everyMs: 5 });
    const expected = Array.from({ length: 60 }, (_, index) => `acc_${index}`);
    for (const name of expected) {
      await open.bus.publish(failed(name));
      await delay(10);
    }
    await until(() => batches.flat().length === 60);
    stop.abort();
    await ended;
    assert.deepEqual(batches.flat(), expected);
    assert.ok(batches.length <= 12, `${batches.length} batches`);
  });

  test("followStatusEvents() takes few status events ahead, however long it takes to record some", async () => {
    await using open = await openTestBus();
    const stop = new AbortController();
    const batches = [0, 1].map(() => Promise.withResolvers<void>());
    let begun = 0;
    for (let n = 0; n < 60; n++) await open.bus.publish(failed(`acc_${n}`));
    const ended = open.bus.followStatusEvents(
      async () => await batches[begun++]?.promise,
      { ...optionsOf(stop), batchSize: 4 },
    );
    await until(() => begun === 1);
    // Requests expire meanwhile.
    await delay(12_000);
    batches[0]?.resolve();
    await until(() => begun === 2);
    await delay(500);
    const queues = await open.bus.queueStates(["STATUS"]);
    const { inFlight = NaN } = queues.find(({ consumer }) => consumer === "tracker") ?? {};
    batches[1]?.resolve();
    await until(() => begun > 2);
    stop.abort();
    await ended;
    // A batch, the events that wait for it, and those that are on their way.
    assert.ok(inFlight <= 8, `${inFlight} in flight`);
  });

  test("followStatusEvents() hands status events over again when recording them failed", async () => {
    await using open = await openTestBus();
    const stop = new AbortController();
    const batches: string[][] = [];
    const options = optionsOf(stop);
    await open.bus.publish(failed("acc_1"));
    await open.bus.publish(failed("acc_2"));
    const ended = open.bus.followStatusEvents((batch) => {
      batches.push(names(batch));
      return batches.length === 1 ? Promise.reject(new Error("no database")) : Promise.resolve();
    }, options);
    await until(() => batches.flat().length === 4);
    stop.abort();
    await ended;
    assert.deepEqual(batches.flat().toSorted(), ["acc_1", "acc_1", "acc_2", "acc_2"]);
    assert.ok(options.logger.lines.some((line) => /Cannot record status events/.test(line)));
  });

  test("followStatusEvents() gives up a status event that can never be recorded, and holds up no other for it", async () => {
    await using open = await openTestBus();
    const stop = new AbortController();
    const recorded: string[] = [];
    let failures = 0;
    const options = optionsOf(stop);
    for (const name of ["acc_1", "poison", "acc_2"]) await open.bus.publish(failed(name));
    const ended = open.bus.followStatusEvents((batch) => {
      if (names(batch).includes("poison")) {
        failures++;
        return Promise.reject(new Error("it never works"));
      }
      return Promise.resolve(void recorded.push(...names(batch)));
    }, options);
    await until(() => recorded.length === 2);
    assert.deepEqual(recorded, ["acc_1", "acc_2"]);
    const isGivenUp = () =>
      options.logger.lines.some((line) => /Cannot process a status event/.test(line));
    await until(isGivenUp);
    const tries = failures;
    await open.bus.publish(failed("acc_3"));
    await until(() => recorded.length === 3);
    stop.abort();
    await ended;
    assert.equal(failures, tries);
  });

  test("followStatusEvents() does not give up a status event while the ledger is away", async () => {
    await using open = await openTestBus();
    const stop = new AbortController();
    const away = Object.assign(new Error("away"), { errorType: "unavailable" });
    let calls = 0;
    const options = optionsOf(stop);
    for (const name of ["acc_1", "acc_2"]) await open.bus.publish(failed(name));
    const ended = open.bus.followStatusEvents(() => {
      calls++;
      return Promise.reject(away);
    }, options);
    await until(() => calls === 3);
    stop.abort();
    await ended;
    // A batch is tried as a whole: each status event alone would wait for the ledger once more.
    const lines = options.logger.lines.filter((line) => /Cannot record status events/.test(line));
    assert.equal(lines.length, calls);
  });

  test("followStatusEvents() leaves out what is no status event and never sees it again", async () => {
    await using open = await openTestBus();
    const connection = await connect({ servers: open.nats.url });
    const raw = jetstream(connection);
    await raw.publish("status.message.failed", "no JSON");
    await raw.publish("status.message.failed", JSON.stringify({ ...failed("acc_x").data, v: 0 }));
    await connection.close();
    await open.bus.publish(failed("acc_1"));
    const stop = new AbortController();
    const seen: string[] = [];
    const options = optionsOf(stop);
    const ended = open.bus.followStatusEvents(
      (batch) => Promise.resolve(void seen.push(...names(batch))),
      options,
    );
    await until(() => seen.length > 0);
    stop.abort();
    await ended;
    assert.deepEqual(seen, ["acc_1"]);
    assert.equal(
      options.logger.lines.filter((line) => /Cannot process a status event/.test(line)).length,
      2,
    );
  });

  test("followStatusEvents() records what it has taken before it returns", async () => {
    await using open = await openTestBus();
    const stop = new AbortController();
    const seen: string[] = [];
    const recording = Promise.withResolvers<void>();
    const ended = open.bus.followStatusEvents(async (batch) => {
      recording.resolve();
      await new Promise((resolve) => setTimeout(resolve, 100));
      seen.push(...names(batch));
    }, optionsOf(stop));
    await open.bus.publish(failed("acc_1"));
    await recording.promise;
    stop.abort();
    await ended;
    assert.deepEqual(seen, ["acc_1"]);
  });

  test("followStatusEvents() returns even if its signal aborts while it begins", async () => {
    await using open = await openTestBus();
    const stop = new AbortController();
    const ended = open.bus.followStatusEvents(() => Promise.resolve(), optionsOf(stop));
    stop.abort();
    await ended;
  });
});
