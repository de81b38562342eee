import assert from "node:assert/strict";
import { test } from "node:test";
import { openTcpProxy, until } from "@posthaste/kit";
import { setTimeout as delay } from "node:timers/promises";
import { openTestBus, openTestLogger, renderStep, requested } from "./_test_bus.ts";
import { openBus } from "./bus.ts";

test("consume() handles an event once that is redelivered while it is in flight", async () => {
  await using opened = await openTestBus();
  const { bus } = opened;
  await bus.applyTopology({ ackWaitMs: 100 });
  let begun = 0;
  const stop = new AbortController();
  const step = renderStep(async () => {
    begun++;
    // So long that the broker hears nothing and takes the worker for lost, ten times over.
    for (let times = 0; times < 10; times++) {
      const endsAt = performance.now() + 120;
      while (performance.now() < endsAt);
      await delay(20);
    }
    stop.abort();
    return { type: "done", publish: [] };
  });
  await bus.publish(requested("acc_1"));
  await bus.consume(step, {
    consumer: "renderer_transactional",
    concurrency: 4,
    signal: stop.signal,
    logger: openTestLogger(),
  });
  assert.equal(begun, 1);
  // The broker hears of the end a moment later.
  await until(async () => (await bus.streamStates()).get("RENDER")?.messages === 0);
});

test("consume() takes at most two events beyond its places, however long its steps take, and leaves the others", async () => {
  await using opened = await openTestBus();
  const { bus } = opened;
  // An event that waits in a process comes to others only after this.
  await bus.applyTopology({ ackWaitMs: 600_000 });
  const stop = new AbortController();
  const rounds = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const begun = { busy: [] as string[], free: [] as string[] };
  const consumeAs = (name: "busy" | "free") =>
    bus.consume(
      renderStep(async ({ data }) => {
        begun[name].push(data.accountId);
        if (name === "busy") await rounds[begun.busy.length > 4 ? 1 : 0]?.promise;
        return { type: "done", publish: [] };
      }),
      {
        consumer: "renderer_transactional",
        concurrency: 4,
        signal: stop.signal,
        logger: openTestLogger(),
      },
    );
  const first = consumeAs("busy");
  for (let n = 0; n < 40; n++) await bus.publish(requested(`acc_${n}`));
  await until(() => begun.busy.length === 4);
  // Requests expire meanwhile.
  await delay(12_000);
  rounds[0]?.resolve();
  await until(() => begun.busy.length === 8);
  const second = consumeAs("free");
  try {
    await until(async () => ((await bus.streamStates()).get("RENDER")?.messages ?? 0) <= 4 + 2, {
      message: "all other events to be consumed",
      timeoutMs: 30_000,
    });
  } finally {
    stop.abort();
    rounds[1]?.resolve();
    await Promise.all([first, second]);
  }
  assert.equal(begun.busy.length, 8);
});

/** Consumes all events over a connection that can be cut, until disposal. */
async function consumeAfar() {
  await using opened = new AsyncDisposableStack();
  const { bus, nats } = opened.use(await openTestBus());
  // What is lost on the way comes again only after this.
  await bus.applyTopology({ ackWaitMs: 600_000 });
  const proxy = opened.use(await openTcpProxy(Number(new URL(nats.url).port)));
  const afar = opened.use(await openBus({ url: `nats://127.0.0.1:${proxy.port}`, name: "afar" }));
  const stop = new AbortController();
  const begun = new Set<string>();
  const consuming = afar.consume(
    renderStep(({ data }) => {
      begun.add(data.accountId);
      return Promise.resolve({ type: "done", publish: [] });
    }),
    {
      consumer: "renderer_transactional",
      concurrency: 4,
      signal: stop.signal,
      logger: openTestLogger(),
    },
  );
  opened.defer(async () => {
    stop.abort();
    await consuming;
  });
  await bus.publish(requested("first"));
  await until(() => begun.has("first"));
  const parts = opened.move();
  return { bus, proxy, begun, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

test("consume() gets soon what is published after a reconnection", async () => {
  await using opened = await consumeAfar();
  const { bus, proxy, begun } = opened;
  for (let round = 0; round < 4; round++) {
    proxy.reset();
    await until(() => proxy.connections > 0);
    // It has asked for events again by then.
    await delay(500);
    const names = Array.from({ length: 40 }, (_, n) => `round ${round}, ${n}`);
    for (const name of names) await bus.publish(requested(name));
    await until(() => names.every((name) => begun.has(name)), {
      timeoutMs: 20_000,
      message: `all events of round ${round} to be begun`,
    });
  }
});

test("consume() loses no event on its way over a connection that was silent for a while", async () => {
  await using opened = await consumeAfar();
  const { bus, proxy, begun } = opened;
  proxy.stall();
  const names = ["a", "b", "c"];
  for (const name of names) await bus.publish(requested(name));
  // Shorter than the broker and its clients wait for each other's pings.
  await delay(8000);
  proxy.pass();
  await until(() => names.every((name) => begun.has(name)), { timeoutMs: 20_000 });
});
