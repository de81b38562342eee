import { MAX_EVENT_BYTES } from "@posthaste/contracts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openTestBus, rendered, requested } from "./_test_bus.ts";

test("publishEvent() refuses an event of more than 512 KiB and stores one of just that", async () => {
  await using open = await openTestBus();
  const { bus } = open;
  const bare = JSON.stringify(rendered("acc_1", "").data).length;
  const largest = MAX_EVENT_BYTES - bare;
  await bus.publish(rendered("acc_1", "x".repeat(largest)));
  assert.equal((await bus.streamStates()).get("MAIL")?.messages, 1);
  await assert.rejects(bus.publish(rendered("acc_1", "x".repeat(largest + 1))), {
    name: "RangeError",
    message: 'Cannot publish "messages.rendered": 524289 bytes exceed 524288',
  });
  // Bytes count, not characters.
  await assert.rejects(bus.publish(rendered("acc_1", "ä".repeat(largest / 2 + 1))), RangeError);
});

test("publishEvent() stores an event with the same id once", async () => {
  await using open = await openTestBus();
  const { bus } = open;
  await bus.publish(requested("acc_1"), { id: "one" });
  await bus.publish(requested("acc_1"), { id: "one" });
  assert.equal((await bus.streamStates()).get("RENDER")?.messages, 1);
  await bus.publish(requested("acc_1"), { id: "two" });
  await bus.publish(requested("acc_1"));
  assert.equal((await bus.streamStates()).get("RENDER")?.messages, 3);
});

test("streamStates() returns how much each stream holds and since when", async () => {
  await using open = await openTestBus();
  const { bus } = open;
  const stateOf = async (stream: string) => (await bus.streamStates()).get(stream);
  await bus.publish(requested("acc_1"));
  const first = await stateOf("RENDER");
  await delay(10);
  await bus.publish(requested("acc_2"));
  await bus.publish(rendered("acc_1"));
  const states = await bus.streamStates();
  assert.equal(first?.messages, 1);
  assert.deepEqual(states.get("RENDER"), { messages: 2, oldestAt: first.oldestAt });
  const [earlier, later] = [first.oldestAt, states.get("MAIL")?.oldestAt];
  assert.ok(earlier && later && earlier < later, `${earlier?.toJSON()}, ${later?.toJSON()}`);
  assert.deepEqual(states.get("PRINT"), { messages: 0, oldestAt: null });
});
