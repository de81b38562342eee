import { stallProcess, until } from "@posthaste/kit";
import { jetstreamManager } from "@nats-io/jetstream";
import type { Msg, MsgCallback } from "@nats-io/nats-core";
import { connect } from "@nats-io/transport-node";
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { EventClient } from "./_event_client.ts";
import { HeldEvents } from "./_held_events.ts";
import { pullEvents } from "./_pull_events.ts";
import { openTestBus, openTestLogger, renderStep, requested, type TestBus } from "./_test_bus.ts";
import { consumerPlan } from "./topology.ts";

const CONSUMER = "renderer_transactional";

/** Consumes events of which each is held until it is released, until disposal. */
function hold({ bus }: Pick<TestBus, "bus">, { concurrency }: { concurrency: number }) {
  const stop = new AbortController();
  const logger = openTestLogger();
  const held = Promise.withResolvers<void>();
  const begun: { name: string; isAgain: boolean | undefined }[] = [];
  const ended = bus.consume(
    renderStep(async ({ data, isAgain }) => {
      begun.push({ name: data.accountId, isAgain });
      await held.promise;
      return { type: "done", publish: [] };
    }),
    { consumer: CONSUMER, concurrency, signal: stop.signal, logger },
  );
  return {
    begun,
    logger,
    stop: () => stop.abort(),
    release: () => held.resolve(),
    async [Symbol.asyncDispose]() {
      stop.abort();
      held.resolve();
      await ended;
    },
  };
}

/** Holds one event, with an ack wait of 400 ms. */
async function holdOne({ bus }: Pick<TestBus, "bus">) {
  await bus.applyTopology({ ackWaitMs: 400 });
  const holding = hold({ bus }, { concurrency: 1 });
  await bus.publish(requested("acc_1"));
  await until(() => holding.begun.length === 1);
  return holding;
}

test("consume() gives back what it had not begun, so that the next one has it immediately", async () => {
  await using opened = await openTestBus();
  const { bus } = opened;
  // What is not given back comes again when this has passed.
  await bus.applyTopology({ ackWaitMs: 600_000 });
  const total = 400;
  const publishing = Promise.all(
    Array.from({ length: total }, (_, n) => bus.publish(requested(String(n)))),
  );
  const seen = new Set<string>();
  const consumeFor = (signal: AbortSignal) =>
    bus.consume(
      renderStep(({ data }) => {
        seen.add(data.accountId);
        return Promise.resolve({ type: "done", publish: [] });
      }),
      { consumer: CONSUMER, concurrency: 32, signal, logger: openTestLogger() },
    );

  for (let round = 0; round < 10; round++) await consumeFor(AbortSignal.timeout(8));
  await publishing;
  const last = new AbortController();
  const consuming = consumeFor(last.signal);
  await until(() => seen.size === total, {
    timeoutMs: 60_000,
    message: "all events to be consumed",
  });
  last.abort();
  await consuming;
  assert.equal(seen.size, total);
});

test("consume() gives back what waits when it is stopped, although all its places are taken", async () => {
  await using opened = await openTestBus();
  const { bus } = opened;
  await bus.applyTopology({ ackWaitMs: 600_000 });
  await using first = hold(opened, { concurrency: 4 });
  for (let n = 0; n < 6; n++) await bus.publish(requested(`acc_${n}`));
  await until(() => first.begun.length === 4);
  await until(async () => (await inFlight(opened)) === 6);
  first.stop();
  await using second = hold(opened, { concurrency: 4 });
  await until(() => second.begun.length === 2);
  assert.equal(first.begun.length, 4);
});

test("consume() reports what it reads ahead as in progress, so that no other gets it too", async () => {
  await using opened = await openTestBus();
  const { bus } = opened;
  await bus.applyTopology({ ackWaitMs: 400 });
  await using first = hold(opened, { concurrency: 1 });
  await bus.publish(requested("begun"));
  await bus.publish(requested("ahead"));
  await until(async () => (await inFlight(opened)) === 2);
  await using second = hold(opened, { concurrency: 1 });
  await delay(1500);
  assert.deepEqual(second.begun, []);
  first.release();
  await until(() => first.begun.length === 2);
});

test("consume() reports what it has begun as in progress, also while it stops", async () => {
  await using opened = await openTestBus();
  await using first = await holdOne(opened);
  first.stop();
  await using second = hold(opened, { concurrency: 1 });
  await delay(1500);
  assert.deepEqual(second.begun, []);
});

test("consume() begins an event once that is redelivered while all places are taken", async () => {
  await using opened = await openTestBus();
  const { bus } = opened;
  await using holding = await holdOne(opened);
  // The broker hears nothing of it, and delivers it again.
  stallProcess(1500);
  await delay(500);
  holding.release();
  await until(async () => (await inFlight(opened)) === 0);
  await bus.publish(requested("acc_2"));
  await until(() => holding.begun.some(({ name }) => name === "acc_2"));
  assert.deepEqual(holding.begun.map(({ name }) => name), ["acc_1", "acc_2"]);
});

test("consume() reports a consumer that is gone, and goes on when it is there again", async () => {
  await using opened = await openTestBus();
  const { bus, nats } = opened;
  await using holding = hold(opened, { concurrency: 4 });
  for (let n = 0; n < 40; n++) await bus.publish(requested(`acc_${n}`));
  await until(() => holding.begun.length === 4);
  const connection = await connect({ servers: nats.url });
  await (await jetstreamManager(connection)).consumers.delete("RENDER", CONSUMER);
  await connection.close();
  holding.release();
  await until(() => holding.logger.lines.some((line) => line.includes("Cannot pull events")));
  await bus.applyTopology();
  await until(() => new Set(holding.begun.map(({ name }) => name)).size === 40);
});

test("pullEvents() asks again if the broker never ends a request", async (t: TestContext) => {
  await using pull = openTestPull(t);
  await until(() => pull.asked.length === 1);
  await pull.pass(5000);
  assert.equal(pull.asked.length, 1);
  await pull.pass(1000);
  assert.deepEqual(pull.asked, Array(2).fill('{"batch":3,"expires":5000000000}'));
});

test("pullEvents() asks for no more than a request had left, which the broker served in turns", async (t: TestContext) => {
  await using pull = openTestPull(t);
  await until(() => pull.asked.length === 1);
  pull.deliver(eventNumber(1));
  // The second request has the space of the first event. The broker serves it, and not the first one.
  assert.equal((await pull.next).done, false);
  const second = pull.read();
  await until(() => pull.asked.length === 2);
  pull.deliver(eventNumber(2), 1);
  await second;
  void pull.read();
  await until(() => pull.asked.length === 3);
  pull.answer(0, 408);
  assert.deepEqual(pull.batches(), [3, 1, 1, 2]);
});

test("pullEvents() reads an event of a request whose time was over", async (t: TestContext) => {
  await using pull = openTestPull(t);
  await until(() => pull.asked.length === 1);
  await pull.pass(6000);
  assert.equal(pull.asked.length, 2);
  pull.deliver(eventNumber(1));
  assert.equal((await pull.next).done, false);
});

test("pullEvents() asks again after a reconnection", async (t: TestContext) => {
  await using pull = openTestPull(t);
  await until(() => pull.asked.length === 1);
  pull.reconnect();
  assert.equal(pull.asked.length, 2);
  // The broker may hold the requests of both connections.
  pull.reconnect();
  pull.reconnect();
  assert.deepEqual(pull.batches(), [3, 3]);
});

test("pullEvents() ends an event whose header cannot be read", async (t: TestContext) => {
  await using pull = openTestPull(t);
  await until(() => pull.asked.length === 1);
  const answers: string[] = [];
  pull.deliver({
    subject: "send.requested.bulk",
    reply: "$JS.ACK.RENDER.renderer_bulk.1.1.1.1795862997859670000.0",
    get headers(): never {
      throw new Error("bad header");
    },
    respond: (answer: string) => answers.push(answer),
  });
  assert.deepEqual(answers, ["+TERM unreadable"]);
});

test("pullEvents() does not give back what is worked on, if it is redelivered during the end", async (t: TestContext) => {
  await using pull = openTestPull(t);
  await until(() => pull.asked.length === 1);
  const answers: string[] = [];
  const deliver = (deliveries: number, streamSequence: number) =>
    pull.deliver({
      subject: "send.requested.bulk",
      reply: `$JS.ACK.RENDER.renderer_bulk.${deliveries}.${streamSequence}.1.1795862997859670000.0`,
      respond: (answer: string) => answers.push(`${streamSequence} ${answer}`),
    });
  deliver(1, 1);
  assert.equal((await pull.next).done, false);
  pull.stop();
  deliver(2, 1);
  deliver(1, 2);
  assert.deepEqual(answers, ["2 -NAK"]);
});

test("pullEvents() asks twice a second while nobody answers for the consumer", async (t: TestContext) => {
  await using pull = openTestPull(t, { status: 503 });
  await until(() => pull.asked.length === 1);
  for (let times = 2; times < 6; times++) {
    await pull.pass(499);
    assert.equal(pull.asked.length, times - 1);
    await pull.pass(1);
    assert.equal(pull.asked.length, times);
  }
});

function eventNumber(streamSequence: number) {
  return {
    subject: "send.requested.bulk",
    reply: `$JS.ACK.RENDER.renderer_bulk.1.${streamSequence}.1.1795862997859670000.0`,
    respond: () => true,
  };
}

/** Pulls from a broker that answers every request with a status or not at all, until disposal. */
function openTestPull(t: TestContext, { status }: { status?: number } = {}) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const plan = consumerPlan(CONSUMER);
  const asked: string[] = [];
  const listening: { inbox: string; hear: MsgCallback<Msg> }[] = [];
  const reconnects = new Set<() => void>();
  const client = {
    connection: {
      publish(_: string, request: string) {
        asked.push(request);
        if (status === undefined) return;
        setImmediate(() => answer(asked.length - 1, status));
      },
      subscribe(inbox: string, { callback: hear }: { callback: MsgCallback<Msg> }) {
        listening.push({ inbox, hear });
        const getSubject = () => inbox;
        return { getSubject, drain: () => Promise.resolve(), unsubscribe: () => undefined };
      },
    },
    stream: {
      apiPrefix: "$JS.API",
      consumers: { get: () => Promise.resolve({ info: () => Promise.resolve({ config: {} }) }) },
    },
    inboxPrefix: "_INBOX",
    reconnects,
  } as unknown as EventClient;
  /** Sends a message for the request that was asked for as the `at`th one. */
  function send(at: number, message: object): void {
    listening[at]?.hear(null, message as Msg);
  }
  function answer(at: number, code: number): void {
    send(at, { subject: listening[at]?.inbox, headers: { code, description: "" } });
  }
  const stop = new AbortController();
  const held = new HeldEvents();
  const options = {
    ...{ plan, space: () => 3, held },
    ...{ signal: stop.signal, logger: openTestLogger() },
  };
  const events = pullEvents(client, options);
  const next = events.next();
  return {
    ...{ asked, next, answer },
    read: () => events.next(),
    batches: () => asked.map((request) => JSON.parse(request).batch),
    stop: () => stop.abort(),
    reconnect() {
      for (const renew of reconnects) renew();
    },
    deliver: (message: object, at = 0) => send(at, message),
    async pass(ms: number) {
      // Answers that are on their way come first.
      await new Promise(setImmediate);
      t.mock.timers.tick(ms);
      await new Promise(setImmediate);
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      held[Symbol.dispose]();
      await next;
      assert.equal((await events.next()).done, true);
      assert.equal(reconnects.size, 0);
    },
  };
}

async function inFlight({ bus }: Pick<TestBus, "bus">): Promise<number | undefined> {
  const queues = await bus.queueStates(["RENDER"]);
  return queues.find(({ consumer }) => consumer === CONSUMER)?.inFlight;
}
