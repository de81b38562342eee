import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { nanos } from "@nats-io/nats-core";
import { connect } from "@nats-io/transport-node";
import type { EventData } from "@posthaste/contracts";
import { openNatsServer } from "@posthaste/embedded";
import { injectTrace, startTelemetry } from "@posthaste/telemetry";
import { openOtlpReceiver, openTestNats, takesLong, until } from "@posthaste/kit";
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { suite, test, type TestContext } from "node:test";
import {
  failed,
  openTestBus,
  openTestLogger,
  rendered,
  renderStep,
  requested,
  type TestBus,
} from "./_test_bus.ts";
import { REPLY_HEADER } from "./_headers.ts";
import { type Bus, openBus } from "./bus.ts";
import type { StatusEvent } from "./follow_status_events.ts";
import { MAX_TRIES, type Outgoing, type Step, type Verdict } from "./step.ts";

takesLong();

const DONE: Verdict = { type: "done", publish: [] };

const QUESTION = { v: 2, accountId: "acc_1", templateId: 1, version: 1, variables: {} } as const;
const ANSWER = { ok: true, subject: "s", html: "h", text: "t" };

/**
 * Opens a broker without streams. Each question gets its first answer immediately. In place of a stream, the test
 * confirms the last question.
 */
async function openAnswering() {
  await using opened = new AsyncDisposableStack();
  const nats = opened.use(await openTestNats());
  const bus = opened.use(await openBus({ url: nats.url, name: "test" }));
  const connection = await connect({ servers: nats.url });
  opened.defer(() => connection.close());
  let confirmTo = "";
  connection.subscribe("render.requested", {
    callback: (_, { headers, reply = "" }) => {
      confirmTo = reply;
      connection.publish(`${headers?.get(REPLY_HEADER)}.0`, JSON.stringify(ANSWER));
    },
  });
  await connection.flush();
  const parts = opened.move();
  return {
    bus,
    confirm: (body: unknown) => connection.publish(confirmTo, JSON.stringify(body)),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** Consumes with a step while the test runs, and stops before the bus is closed. */
function consume(bus: Bus, step: Step<"send.requested">, { concurrency = 4 } = {}) {
  const stop = new AbortController();
  const logger = openTestLogger();
  const consumer = "renderer_transactional";
  const ended = bus.consume(step, { consumer, concurrency, signal: stop.signal, logger });
  return {
    logger,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

/** Follows what is reported while the test runs. */
function listen(bus: Bus) {
  const stop = new AbortController();
  const statusEvents: StatusEvent[] = [];
  const ended = bus.followStatusEvents(
    (batch) => Promise.resolve(void statusEvents.push(...batch)),
    {
      consumer: "tracker",
      signal: stop.signal,
      logger: openTestLogger(),
    },
  );
  return {
    statusEvents,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

/** Answers what clients wait for, until it is disposed. */
function consumeWith(bus: Bus, step: Step<"render.requested">): AsyncDisposable {
  const stop = new AbortController();
  const ended = bus.consume(step, {
    ...{ consumer: "renderer_now", concurrency: 2 },
    signal: stop.signal,
    logger: openTestLogger(),
  });
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

/** Consumes events and reports each, while the test runs. */
function reportEach(bus: Bus) {
  const reported = listen(bus);
  const step = renderStep(({ data }) =>
    Promise.resolve({ type: "done", publish: [failed(data.accountId)] })
  );
  const consuming = consume(bus, step);
  return {
    has: (name: string) => reported.statusEvents.some(({ data }) => data.accountId === name),
    async [Symbol.asyncDispose]() {
      await consuming[Symbol.asyncDispose]();
      await reported[Symbol.asyncDispose]();
    },
  };
}

async function waiting(bus: Bus, stream: string): Promise<number | undefined> {
  return (await bus.streamStates()).get(stream)?.messages;
}

async function untilConsumed({ bus }: Pick<TestBus, "bus">): Promise<void> {
  await until(async () => await waiting(bus, "RENDER") === 0, { message: "the event to be gone" });
}

function outage(): Error {
  return Object.assign(new Error("the database is away"), { errorType: "unavailable" });
}

suite("consume()", { concurrency: 4 }, () => {
  test("consume() publishes what came of an event and lets it go", async () => {
    await using open = await openTestBus();
    const { bus } = open;
    await using reported = listen(bus);
    await using _step = consume(
      bus,
      renderStep(({ data }) =>
        Promise.resolve({
          type: "done",
          publish: [rendered(data.accountId), failed(data.accountId, "only reported")],
        })
      ),
    );
    await bus.publish(requested("acc_1"));
    const statusEvent = await until(() => reported.statusEvents[0]);
    assert.deepEqual([statusEvent.type, statusEvent.data.accountId], [
      "status.message.failed",
      "acc_1",
    ]);
    assert.equal(await waiting(bus, "MAIL"), 1);
    await untilConsumed(open);
  });

  test("consume() hands each priority its own events", async () => {
    await using open = await openTestBus();
    const { bus } = open;
    const consumed: string[] = [];
    await using _step = consume(
      bus,
      renderStep(({ data }) => {
        consumed.push(data.accountId);
        return Promise.resolve(DONE);
      }),
    );
    await bus.publish(requested("bulk", "bulk"));
    await bus.publish(requested("transactional"));
    await until(() => consumed.length > 0);
    assert.deepEqual(consumed, ["transactional"]);
    // It is let go a moment after it was consumed.
    await until(async () => await waiting(bus, "RENDER") === 1);
  });

  test("consume() never has more events in flight than its limit", async () => {
    await using open = await openTestBus();
    const { bus } = open;
    let inFlight = 0;
    let most = 0;
    let consumed = 0;
    for (let count = 0; count < 20; count++) await bus.publish(requested(`acc_${count}`));
    await using _step = consume(
      bus,
      renderStep(async () => {
        most = Math.max(most, ++inFlight);
        await new Promise((resolve) => setTimeout(resolve, 5));
        inFlight--;
        consumed++;
        return DONE;
      }),
      { concurrency: 3 },
    );
    await until(() => consumed === 20);
    assert.equal(most, 3);
  });

  test("consume() works on others in the place that waiting work releases, and ends after it", async () => {
    await using open = await openTestBus();
    const { bus } = open;
    const answer = Promise.withResolvers<void>();
    const begun: string[] = [];
    {
      await using _step = consume(bus, {
        ...renderStep(() => Promise.resolve(DONE)),
        handle: async ({ data }, _signal, place) => {
          begun.push(data.accountId);
          if (data.accountId !== "slow") return DONE;
          place?.release();
          await answer.promise;
          begun.push("answered");
          return DONE;
        },
      }, { concurrency: 2 });
      for (let n = 0; n < 5; n++) await bus.publish(requested("slow"));
      await bus.publish(requested("quick"));
      await until(() => begun.includes("quick"));
      assert.equal(begun.filter((each) => each === "slow").length, 5);
      setTimeout(answer.resolve, 50);
    }
    assert.equal(begun.filter((each) => each === "answered").length, 5, "none was left behind");
    await untilConsumed(open);
  });

  test("consume() tries an event again and gives it up after its last try", async () => {
    await using open = await openTestBus();
    const { bus } = open;
    let tries = 0;
    await using reported = listen(bus);
    await using _step = consume(
      bus,
      renderStep(() => {
        tries++;
        throw new Error("it never works");
      }),
    );
    await bus.publish(requested("acc_1"));
    const statusEvent = await until(() => reported.statusEvents[0]);
    assert.equal(tries, MAX_TRIES);
    assert.equal(statusEvent.type, "status.message.failed");
    assert.equal("reason" in statusEvent.data && statusEvent.data.reason, "given up after 5 tries");
    await untilConsumed(open);
  });

  test("consume() waits an outage out without counting it", async () => {
    await using open = await openTestBus();
    const { bus } = open;
    const outcomes = Array.from({ length: MAX_TRIES }, outage);
    let deliveries = 0;
    await using reported = listen(bus);
    await using _step = consume(
      bus,
      renderStep(({ data }) => {
        deliveries++;
        const error = outcomes.pop();
        if (error) throw error;
        return Promise.resolve({ type: "done", publish: [failed(data.accountId, "back again")] });
      }),
    );
    await bus.publish(requested("acc_1"));
    const statusEvent = await until(() => reported.statusEvents[0]);
    assert.equal("reason" in statusEvent.data && statusEvent.data.reason, "back again");
    assert.ok(deliveries > MAX_TRIES);
  });

  test("consume() gives up immediately what a step calls hopeless", async () => {
    await using open = await openTestBus();
    const { bus } = open;
    await using reported = listen(bus);
    await using _step = consume(
      bus,
      renderStep(() => Promise.resolve({ type: "fail", reason: "hopeless" })),
    );
    await bus.publish(requested("acc_1"));
    const statusEvent = await until(() => reported.statusEvents[0]);
    assert.equal("reason" in statusEvent.data && statusEvent.data.reason, "hopeless");
    await untilConsumed(open);
  });

  test("consume() gives up an event of which something too large came", async () => {
    await using open = await openTestBus();
    const { bus } = open;
    let tries = 0;
    await using reported = listen(bus);
    await using _step = consume(
      bus,
      renderStep(() => {
        tries++;
        return Promise.resolve({ type: "done", publish: [rendered("acc_1", "x".repeat(600_000))] });
      }),
    );
    await bus.publish(requested("acc_1"));
    const statusEvent = await until(() => reported.statusEvents[0]);
    assert.match(
      "reason" in statusEvent.data ? statusEvent.data.reason : "",
      /bytes exceed 524288/,
    );
    assert.equal(tries, 1);
    await untilConsumed(open);
  });

  test("consume() waits for a stream that takes nothing, and does not count that", async () => {
    await using open = await openTestBus();
    const { bus, nats } = open;
    const connection = await connect({ servers: nats.url });
    const manager = await jetstreamManager(connection);
    await manager.streams.delete("MAIL");
    let tries = 0;
    await using step = consume(
      bus,
      renderStep(({ data }) => {
        tries++;
        return Promise.resolve({ type: "done", publish: [rendered(data.accountId)] });
      }),
    );
    await bus.publish(requested("acc_1"));
    await until(() => step.logger.lines.filter((line) => /Cannot publish/.test(line)).length > 1);
    await bus.applyTopology();
    await until(async () => await waiting(bus, "MAIL") === 1);
    await untilConsumed(open);
    assert.equal(tries, 1);
    await connection.close();
  });

  test("consume() ends a malformed event and goes on with the next", async () => {
    await using open = await openTestBus();
    const { bus, nats } = open;
    const connection = await connect({ servers: nats.url });
    const raw = jetstream(connection);
    for (const body of ["no JSON", "null", "{}"]) {
      await raw.publish("send.requested.transactional", body);
    }
    const consumed: string[] = [];
    await using step = consume(
      bus,
      renderStep(({ data }) => {
        consumed.push(data.accountId);
        return Promise.resolve(DONE);
      }),
    );
    await bus.publish(requested("acc_good"));
    await until(() => consumed.length > 0);
    await untilConsumed(open);
    assert.deepEqual(consumed, ["acc_good"]);
    assert.equal(step.logger.lines.filter((line) => /Cannot read an event/.test(line)).length, 3);
    await connection.close();
  });

  test("consume() reports the failure of a malformed event's messages, and of none twice", async () => {
    await using open = await openTestBus();
    const { bus } = open;
    await using reported = listen(bus);
    const { type, data } = requested("acc_1");
    const broken = { ...data, template: "welcome" };
    await using step = consume(bus, renderStep(() => Promise.resolve(DONE)));
    await bus.publish({ type, data: broken } as unknown as Outgoing);
    const statusEvent = await until(() => reported.statusEvents[0]);
    assert.deepEqual([statusEvent.type, "index" in statusEvent.data && statusEvent.data.index], [
      "status.message.failed",
      0,
    ]);
    assert.match(
      "reason" in statusEvent.data ? statusEvent.data.reason : "",
      /"template" does not match/,
    );
    await untilConsumed(open);
    assert.equal(reported.statusEvents.length, 1);
    assert.equal(step.logger.lines.filter((line) => /giving up/.test(line)).length, 1);
  });

  test("consume() takes an event of several messages apart when it comes again, so one fails alone", async () => {
    await using open = await openTestBus();
    const { bus } = open;
    const handled: number[][] = [];
    const givenUp: number[][] = [];
    const indexesOf = ({ recipients }: EventData<"send.requested">) =>
      recipients.map(({ index }) => index);
    const step: Step<"send.requested"> = {
      name: "test.render",
      handle: ({ data }) => {
        const indexes = indexesOf(data);
        if (indexes.includes(1)) return Promise.reject(new Error("it cannot be rendered"));
        assert.equal(data.redelivered, true);
        handled.push(indexes);
        return Promise.resolve(DONE);
      },
      giveUp: ({ data }) => {
        givenUp.push(indexesOf(data));
        return { publish: [] };
      },
    };
    await using _ = consume(bus, step);
    const { type, data } = requested("acc_1");
    const recipients = [0, 1, 2].map((index) => ({ index, attempt: 0, email: "ann@example.com" }));
    await bus.publish({ type, data: { ...data, recipients } });
    await until(() => givenUp.length > 0);
    assert.deepEqual(givenUp, [[1]]);
    assert.deepEqual(handled.toSorted(), [[0], [2]]);
    await untilConsumed(open);
  });

  test("consume() leaves an event of a newer version to a newer process, then to the ledger", async () => {
    await using open = await openTestBus();
    const { bus } = open;
    await using reported = listen(bus);
    const { type, data } = requested("acc_1");
    await using step = consume(bus, renderStep(() => Promise.resolve(DONE)));
    await bus.publish({ type, data: { ...data, v: 4 } } as unknown as Outgoing);
    await untilConsumed(open);
    const lines = step.logger.lines.filter((line) => /Cannot read an event/.test(line));
    assert.equal(lines.length, MAX_TRIES);
    const { event, sequence, reason } = JSON.parse(lines[0] ?? "");
    assert.deepEqual({ event, sequence }, { event: "send.requested.transactional", sequence: 1 });
    assert.equal(reason, "its version 4 is newer than 3");
    // What is published next comes after whatever was reported of it.
    await bus.publish(failed("acc_2"));
    await until(() => reported.statusEvents.length > 0);
    assert.deepEqual(reported.statusEvents.map(({ data }) => data.accountId), ["acc_2"]);
  });

  test("consume() finishes events in flight when its signal aborts, and leaves the rest", async () => {
    await using open = await openTestBus();
    const { bus, nats } = open;
    // What is left comes to others immediately, not only after the broker has waited for an answer.
    const connection = await connect({ servers: nats.url });
    const manager = await jetstreamManager(connection);
    const ack_wait = nanos(3_600_000);
    await manager.consumers.update("RENDER", "renderer_transactional", { ack_wait });
    await connection.close();
    for (const name of ["first", "second", "third"]) await bus.publish(requested(name));
    const stop = new AbortController();
    const release = Promise.withResolvers<void>();
    const consumed: string[] = [];
    const ended = bus.consume(
      renderStep(async ({ data }) => {
        consumed.push(data.accountId);
        await release.promise;
        return { type: "done", publish: [failed(data.accountId)] };
      }),
      {
        consumer: "renderer_transactional",
        concurrency: 1,
        signal: stop.signal,
        logger: openTestLogger(),
      },
    );
    await until(() => consumed.length === 1);
    stop.abort();
    release.resolve();
    await ended;
    assert.deepEqual(consumed, ["first"]);
    assert.equal(await waiting(bus, "STATUS"), 1);
    const others: string[] = [];
    await using _step = consume(
      bus,
      renderStep(({ data }) => {
        others.push(data.accountId);
        return Promise.resolve(DONE);
      }),
    );
    await until(() => others.length === 2);
    assert.deepEqual(others.toSorted(), ["second", "third"]);
  });

  test("consume() returns even if its signal aborts while it begins", async () => {
    await using open = await openTestBus();
    const stop = new AbortController();
    const ended = open.bus.consume(renderStep(() => Promise.resolve(DONE)), {
      consumer: "renderer_transactional",
      concurrency: 1,
      signal: stop.signal,
      logger: openTestLogger(),
    });
    stop.abort();
    await ended;
  });

  test("consume() gets the event of a worker that died", async () => {
    await using open = await openTestBus();
    const { bus, nats } = open;
    const connection = await connect({ servers: nats.url });
    const manager = await jetstreamManager(connection);
    await manager.consumers.update("RENDER", "renderer_transactional", { ack_wait: nanos(500) });
    await bus.publish(requested("acc_1"));
    const consumer = await jetstream(connection).consumers.get("RENDER", "renderer_transactional");
    const taken = await consumer.next({ expires: 2000 });
    assert.ok(taken);
    await connection.close();
    const consumed: string[] = [];
    await using _step = consume(
      bus,
      renderStep(({ data }) => {
        consumed.push(data.accountId);
        return Promise.resolve(DONE);
      }),
    );
    await until(() => consumed.length === 1);
    await untilConsumed(open);
  });

  test("consume() publishes once what came of an event that came twice", async () => {
    await using open = await openTestBus();
    const { bus, nats } = open;
    let tries = 0;
    const step = renderStep(({ data }) => {
      tries++;
      const publish = [rendered(data.accountId, "x"), failed(data.accountId)];
      return Promise.resolve({ type: "done", publish });
    });
    const connection = await connect({ servers: nats.url });
    await (await jetstreamManager(connection)).streams.delete("STATUS");
    await connection.close();
    await bus.publish(requested("acc_1"));
    {
      await using _stopped = consume(bus, step);
      await until(async () => await waiting(bus, "MAIL") === 1);
    }
    await bus.applyTopology();
    await using _step = consume(bus, step);
    await untilConsumed(open);
    assert.equal(tries, 2);
    assert.equal(await waiting(bus, "MAIL"), 1);
  });

  test("consume() works inside the trace of its event and hands it on", async (t: TestContext) => {
    const telemetry = await startTelemetry({ service: "test", env: {} });
    t.after(() => telemetry[Symbol.asyncDispose]());
    await using open = await openTestBus();
    const { bus } = open;
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    const traces: (string | undefined)[] = [];
    const stop = new AbortController();
    const options = { concurrency: 1, signal: stop.signal, logger: openTestLogger() };
    const seen = (data: { accountId: string }) => {
      if (data.accountId === "acc_traced") traces.push(injectTrace().traceparent?.split("-")[1]);
    };
    const ended = Promise.all([
      bus.consume(
        renderStep(({ data }) => {
          seen(data);
          return Promise.resolve({ type: "done", publish: [rendered(data.accountId)] });
        }),
        { ...options, consumer: "renderer_transactional" },
      ),
      bus.consume(
        {
          name: "test.mail",
          handle: ({ data }) => {
            seen(data);
            return Promise.resolve(DONE);
          },
          giveUp: () => ({ publish: [] }),
        } satisfies Step<"messages.rendered">,
        { ...options, consumer: "mailer_transactional" },
      ),
    ]);
    await bus.publish(requested("acc_traced"), {
      trace: { traceparent: `00-${traceId}-b7ad6b7169203331-01` },
    });
    await until(() => traces.length === 2);
    stop.abort();
    await ended;
    assert.deepEqual(traces, [traceId, traceId]);
  });

  test("consume() goes on after the broker was killed and started again", async () => {
    await using open = await openTestBus();
    const { bus, nats } = open;
    const consumed: string[] = [];
    await using _step = consume(
      bus,
      renderStep(({ data }) => {
        consumed.push(data.accountId);
        return Promise.resolve(DONE);
      }),
    );
    await bus.publish(requested("before"));
    await until(() => consumed.includes("before"));
    await nats.kill();
    await nats.restart();
    await until(() => bus.publish(requested("after")).then(() => true));
    await until(() => consumed.includes("after"));
  });

  test("consume() goes on after the streams were deleted and made again, whatever is still in flight", async () => {
    await using open = await openTestBus();
    const { bus, nats } = open;
    const consumed: string[] = [];
    const end = Promise.withResolvers<void>();
    await using _step = consume(
      bus,
      renderStep(async ({ data }) => {
        consumed.push(data.accountId);
        if (data.accountId === "before") await end.promise;
        return DONE;
      }),
    );
    using _end = { [Symbol.dispose]: end.resolve };
    await bus.publish(requested("before"));
    await until(() => consumed.includes("before"));
    const connection = await connect({ servers: nats.url });
    const manager = await jetstreamManager(connection);
    for await (const { config } of manager.streams.list()) {
      await manager.streams.delete(config.name);
    }
    await connection.close();
    await assert.rejects(
      bus.check(),
      /streams are missing: RENDER_NOW, INTERACTIVE, RENDER, PRINT, MAIL, STATUS/,
    );
    await bus.applyTopology();
    await bus.publish(requested("after"));
    await until(() => consumed.includes("after"));
  });

  test("consume() publishes the result of an event of a stream that was made again", async () => {
    await using open = await openTestBus();
    const { bus, nats } = open;
    await using reporting = reportEach(bus);
    await bus.publish(requested("before"));
    await until(() => reporting.has("before"));
    const connection = await connect({ servers: nats.url });
    await (await jetstreamManager(connection)).streams.delete("RENDER");
    await connection.close();
    await bus.applyTopology();
    await bus.publish(requested("after"));
    // The broker takes a second event with the id of an earlier one for its copy.
    await until(() => reporting.has("after"), { timeoutMs: 20_000 });
  });

  test("consume() and followStatusEvents() go on after the broker lost all its data", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "posthaste-wiped-"));
    await using nats = await openNatsServer({ env: process.env, dataDir, isTemporary: true });
    await using bus = await openBus({ url: nats.url, name: "test" });
    await bus.applyTopology();
    await using reporting = reportEach(bus);
    await bus.publish(requested("before"));
    await until(() => reporting.has("before"));
    await nats.kill();
    for (const name of await readdir(dataDir)) {
      await rm(join(dataDir, name), { recursive: true });
    }
    await nats.restart();
    await until(() => bus.applyTopology().then(() => true));
    await bus.publish(requested("after"));
    await until(() => reporting.has("after"));
    await nats[Symbol.asyncDispose]();
    await rm(dataDir, { recursive: true, force: true });
  });

  test("ask() gets the answer of the step, or of its giving up", async () => {
    await using open = await openTestBus();
    const { bus } = open;
    const stop = new AbortController();
    const ended = bus.consume(
      {
        name: "test.render_now",
        handle: ({ data }) =>
          Promise.resolve<Verdict>(
            data.templateId === 1
              ? {
                type: "done",
                publish: [],
                replies: [{
                  ok: true,
                  subject: `Hi ${data.variables["name"]}`,
                  html: "h",
                  text: "t",
                }],
              }
              : { type: "fail", reason: "no such template" },
          ),
        giveUp: (_, reason) => ({ publish: [], replies: [{ ok: false, reason, timedOut: false }] }),
      } satisfies Step<"render.requested">,
      {
        consumer: "renderer_now",
        concurrency: 2,
        signal: stop.signal,
        logger: openTestLogger(),
      },
    );
    const ask = (templateId: number) =>
      bus.ask("render.requested", {
        v: 2,
        accountId: "acc_1",
        templateId,
        version: 1,
        variables: { name: "Ann" },
      }, { timeoutMs: 60_000 });
    assert.deepEqual(await Promise.all([ask(1), ask(2)]), [
      { ok: true, subject: "Hi Ann", html: "h", text: "t" },
      { ok: false, reason: "no such template", timedOut: false },
    ]);
    stop.abort();
    await ended;
  });

  test("askForEach() gives each answer when it is there, and nothing in place of one that is late", async () => {
    await using open = await openTestBus();
    const { bus } = open;
    const second = Promise.withResolvers<unknown>();
    const reply = (subject: string) => ({ ok: true, subject, html: "h", text: "t" });
    await using _step = consumeWith(bus, {
      name: "test.render_now",
      handle: () =>
        Promise.resolve<Verdict>({
          type: "done",
          publish: [],
          replies: [reply("first"), second.promise, reply("third")],
        }),
      giveUp: () => ({ publish: [] }),
    });
    const data = { v: 2, accountId: "acc_1", templateId: 1, version: 1, variables: {} } as const;
    const options = { timeoutMs: 60_000, count: 3 };
    const asked = bus.askForEach("render.requested", data, options);
    await asked.stored;
    const [first, late, third] = asked.answers;
    // The others do not wait for the second.
    assert.deepEqual(await Promise.all([first, third]), [reply("first"), reply("third")]);
    second.resolve(reply("second"));
    assert.deepEqual(await late, reply("second"));

    const short = bus.askForEach("render.requested", data, { timeoutMs: 500, count: 4 });
    assert.deepEqual((await Promise.all(short.answers)).map((answer) => answer?.ok), [
      ...[true, true, true, undefined],
    ]);
  });

  test("askForEach() returns an answer without waiting for the broker to confirm the question", async () => {
    await using open = await openAnswering();
    const asked = open.bus.askForEach("render.requested", QUESTION, {
      timeoutMs: 60_000,
      count: 1,
    });
    let isStored = false;
    const stored = asked.stored.then(() => void (isStored = true));
    assert.deepEqual(await asked.answers[0], ANSWER);
    assert.equal(isStored, false);
    open.confirm({ stream: "RENDER_NOW", seq: 1 });
    await stored;
  });

  test("askForEach() keeps the answers that came before the broker refused the question, or never confirmed it", async () => {
    const refusal = { code: 503, err_code: 10077, description: "maximum bytes exceeded" };
    const cases = [
      { confirmation: { error: refusal }, errorType: "unavailable" },
      { confirmation: undefined, errorType: "timeout" },
    ];
    await using open = await openAnswering();
    for (const { confirmation, errorType } of cases) {
      const asked = open.bus.askForEach("render.requested", QUESTION, {
        ...{ timeoutMs: 60_000, count: 2 },
      });
      const [first, second] = asked.answers;
      assert.deepEqual(await first, ANSWER);
      if (confirmation !== undefined) open.confirm(confirmation);
      await assert.rejects(async () => await second, { errorType });
      await assert.rejects(asked.stored, { errorType });
    }
  });

  test("askForEach() continues the trace of the first question, and links to the others", async () => {
    await using collector = await openOtlpReceiver();
    // The SDK reads its settings from the process itself.
    Object.assign(process.env, collector.env);
    const telemetry = await startTelemetry({ service: "test", env: process.env });
    for (const name of Object.keys(collector.env)) delete process.env[name];
    await using open = await openTestBus();
    const reply = { ok: true, subject: "s", html: "h", text: "t" };
    const step = consumeWith(open.bus, {
      name: "test.render_now",
      handle: () =>
        Promise.resolve<Verdict>({ type: "done", publish: [], replies: [reply, reply] }),
      giveUp: () => ({ publish: [] }),
    });
    const traceIds = ["0af7651916cd43dd8448eb211c80319c", "4bf92f3577b34da6a3ce929d0e0e4736"];
    const { answers } = open.bus.askForEach(
      "render.requested",
      { v: 2, accountId: "acc_1", templateId: 1, version: 1, variables: {}, others: [{}] },
      {
        timeoutMs: 60_000,
        count: 2,
        traces: traceIds.map((id) => ({ traceparent: `00-${id}-b7ad6b7169203331-01` })),
      },
    );
    await Promise.all(answers);
    await step[Symbol.asyncDispose]();
    await telemetry[Symbol.asyncDispose]();
    // Other tests run at the same time, and their spans are exported, too.
    const spans = collector.spans.filter(({ name, traceId }) =>
      name === "process render.requested" && traceIds.includes(traceId)
    );
    assert.deepEqual(spans.map(({ traceId, links }) => [traceId, ...links]), [traceIds]);
  });

  test("ask() gets what giving up says in place of an answer that is too large", async () => {
    await using open = await openTestBus();
    const { bus } = open;
    const large = { ok: true, subject: "s", html: "x".repeat(2_000_000), text: "" };
    const small = { ...large, html: "h" };
    const failure = (reason: string) => ({ ok: false, reason, timedOut: false });
    let handled = 0;
    await using _step = consumeWith(bus, {
      name: "test.render_now",
      handle: () => {
        handled++;
        return Promise.resolve<Verdict>({ type: "done", publish: [], replies: [small, large] });
      },
      giveUp: (_, reason) => ({ publish: [], replies: [failure(reason), failure(reason)] }),
    });
    const data = { v: 2, accountId: "acc_1", templateId: 1, version: 1, variables: {} } as const;
    const { answers } = bus.askForEach("render.requested", data, { timeoutMs: 60_000, count: 2 });
    assert.deepEqual(await Promise.all(answers), [
      small,
      failure("the response has 2000045 bytes, more than the limit of 1048576"),
    ]);
    await until(async () => await waiting(bus, "RENDER_NOW") === 0);
    assert.equal(handled, 1);
  });

  test("ask() gives nothing when nobody answers in time", async () => {
    await using open = await openTestBus();
    const answer = await open.bus.ask("render.requested", {
      v: 2,
      accountId: "acc_1",
      templateId: 1,
      version: 1,
      variables: {},
    }, { timeoutMs: 100 });
    assert.equal(answer, undefined);
  });

  test("ask() throws when the broker has no stream for it", async () => {
    await using nats = await openTestNats();
    await using bus = await openBus({ url: nats.url, name: "test" });
    const data = { v: 2, accountId: "acc_1", templateId: 1, version: 1, variables: {} } as const;
    await assert.rejects(bus.ask("render.requested", data, { timeoutMs: 2000 }), {
      message: 'Cannot publish "render.requested": jetstream is not enabled',
      errorType: "unavailable",
    });
  });
});
