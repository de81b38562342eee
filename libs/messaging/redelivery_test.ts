import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "@posthaste/kit";
import { setTimeout as delay } from "node:timers/promises";
import { openTestBus, openTestLogger, renderStep, requested } from "./_test_bus.ts";

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
      const until = performance.now() + 120;
      while (performance.now() < until);
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

test("consume() takes no event for which it has no place, and leaves it to others", async () => {
  await using opened = await openTestBus();
  const { bus } = opened;
  // An event that waits in a process comes to others only after this.
  await bus.applyTopology({ ackWaitMs: 600_000 });
  const stop = new AbortController();
  const busy = Promise.withResolvers<void>();
  const begun = { busy: [] as string[], free: [] as string[] };
  const consumeAs = (name: "busy" | "free") =>
    bus.consume(
      renderStep(async ({ data }) => {
        begun[name].push(data.accountId);
        if (name === "busy") await busy.promise;
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
  const second = consumeAs("free");
  try {
    await until(async () => (await bus.streamStates()).get("RENDER")?.messages === 4, {
      message: "all other events to be consumed",
    });
  } finally {
    stop.abort();
    busy.resolve();
    await Promise.all([first, second]);
  }
  assert.equal(begun.busy.length, 4);
  assert.equal(begun.free.length, 36);
});
