import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "node:test";
import { until } from "@posthaste/kit";
import { openTestBus, openTestLogger, requested } from "./_test_bus.ts";
import { CONSUMERS } from "./topology.ts";

test("queueAges() returns the length and age of each priority, of waiting events and of those in flight", async () => {
  await using opened = await openTestBus();
  const { bus } = opened;
  const of = async (name: string) => {
    const found = (await bus.queueAges()).find(({ plan }) => plan.name === name);
    assert.ok(found);
    return { messages: found.messages, at: found.oldestAt?.getTime() ?? 0 };
  };
  assert.deepEqual(await of("renderer_bulk"), { messages: 0, at: 0 });
  // The broker counts what it has stored a moment later.
  const untilCounted = (name: string, messages: number) =>
    until(async () => (await of(name)).messages === messages);
  await bus.publish(requested("acc_1", "bulk"));
  await untilCounted("renderer_bulk", 1);
  const first = await of("renderer_bulk");
  await delay(10);
  await bus.publish(requested("acc_2", "bulk"));
  await bus.publish(requested("acc_3"));
  await untilCounted("renderer_bulk", 2);
  await untilCounted("renderer_transactional", 1);

  const bulk = await of("renderer_bulk");
  const single = await of("renderer_transactional");
  assert.equal(bulk.at, first.at, "the first of the priority");
  assert.ok(single.at > bulk.at, "not that of the other priority");

  const stop = new AbortController();
  const held = Promise.withResolvers<void>();
  const taken = Promise.withResolvers<void>();
  const consuming = bus.consume({
    name: "test",
    handle: async () => {
      taken.resolve();
      await held.promise;
      return { type: "done", publish: [] };
    },
    giveUp: () => ({ publish: [] }),
  }, {
    ...{ consumer: "renderer_transactional", concurrency: 1 },
    signal: stop.signal,
    logger: openTestLogger(),
  });
  await taken.promise;
  assert.deepEqual(await of("renderer_transactional"), single);
  stop.abort();
  held.resolve();
  await consuming;
  await untilCounted("renderer_transactional", 0);
  assert.deepEqual(await of("renderer_transactional"), { messages: 0, at: 0 });
  assert.equal((await bus.queueAges()).length, CONSUMERS.length);
});
