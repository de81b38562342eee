import type { JetStreamClient } from "@nats-io/jetstream";
import { openTestNats } from "@posthaste/kit";
import assert from "node:assert/strict";
import { test } from "node:test";
import { openBus } from "./bus.ts";
import { pastStatusEvents } from "./past_status_events.ts";

const COUNT = 1_200;

test("pastStatusEvents() returns all status events of a type since a time, in order", async () => {
  await using nats = await openTestNats();
  await using bus = await openBus({ url: nats.url, name: "test" });
  await bus.applyTopology();
  const since = new Date();
  for (let from = 0; from < COUNT; from += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, at) => publish(from + at)));
  }
  const found: number[] = [];
  const events = bus.pastStatusEvents({ since, types: ["status.message.sent"] });
  for await (const { data } of events) found.push((data as { index: number }).index);
  assert.deepEqual(found.toSorted((a, b) => a - b), Array.from({ length: COUNT }, (_, at) => at));

  async function publish(index: number): Promise<void> {
    const sendId = "snd_j01m8a0gss04cgwj7qppqehc2a";
    await bus.publish({
      type: "status.message.sent",
      data: {
        v: 3,
        outcomes: [{
          ...{ accountId: "acc_1", sendId, index, attempt: 1, at: since.toISOString() },
          messageId: `${sendId.replace("snd", "msg")}${String(index).padStart(4, "0")}`,
          ...{ durationMs: 5, reply: { code: 250, response: "250 OK" } },
        }],
      },
    });
  }
});

test("pastStatusEvents() fails if events that the broker has sent do not arrive", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  // As a broker answers whose messages are still on their way: it has sent all three.
  const consumer = {
    consume: () =>
      Promise.resolve({
        close,
        [Symbol.asyncIterator]: () => ({
          next: () => closed.then(() => ({ done: true, value: undefined })),
        }),
      }),
    info(isCached?: boolean) {
      if (isCached) ask();
      const sent = isCached ? 0 : 3;
      return Promise.resolve({ num_pending: 3 - sent, delivered: { consumer_seq: sent } });
    },
    // The broker has lost it meanwhile.
    delete: () => Promise.reject(new Error("consumer not found")),
  };
  const client = { consumers: { getPushConsumer: () => Promise.resolve(consumer) } };
  const events = pastStatusEvents(client as unknown as JetStreamClient, {
    since: new Date(),
    types: ["status.message.sent"],
  });
  const next = events.next();
  await asked;
  await Promise.resolve();
  await Promise.resolve();
  t.mock.timers.tick(5000);
  await assert.rejects(next, /sent no more/);
});
