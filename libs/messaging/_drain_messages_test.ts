import { until } from "@posthaste/kit";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConsumerMessages } from "@nats-io/jetstream";
import { drainMessages } from "./_drain_messages.ts";
import { openTestBus, openTestLogger, requested } from "./_test_bus.ts";

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
    bus.consume<"send.requested">({
      name: "test.consume",
      handle: ({ data }) => {
        seen.add(data.accountId);
        return Promise.resolve({ type: "done", publish: [] });
      },
      giveUp: () => ({ publish: [] }),
    }, { consumer: "renderer_transactional", concurrency: 32, signal, logger: openTestLogger() });

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

test("drainMessages() closes a pull of another make, and ends though nothing in it works", async () => {
  const never = () => new Promise<void>(() => {});
  const fails = () => Promise.reject(new Error("closed"));
  const throws = () => {
    throw new Error("closed");
  };
  const subs = [undefined, {}, null, { drain: fails }, { drain: throws }, { drain: never }];
  const closings = [() => Promise.resolve(), fails, throws, never];
  await Promise.all(subs.flatMap((sub) =>
    closings.map(async (close) => {
      let closed = 0;
      const messages = { sub, close: () => (closed++, close()) } as unknown as ConsumerMessages;
      await drainMessages(messages);
      assert.equal(closed, 1);
    })
  ));
});
