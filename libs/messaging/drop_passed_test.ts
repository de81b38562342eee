import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { openTestNats } from "@posthaste/kit";
import assert from "node:assert/strict";
import { test } from "node:test";
import { requested } from "./_test_bus.ts";
import { openBus } from "./bus.ts";

test("dropPassed() removes what no consumer brings any more, and nothing that one still has to", async () => {
  await using nats = await openTestNats();
  await using bus = await openBus({ url: nats.url, name: "test" });
  await bus.applyTopology();
  const connection = await connect({ servers: nats.url });
  const messages = async () => (await bus.streamStates()).get("RENDER")?.messages;
  try {
    // No consumer asks for it: for the broker it is done, as what a full disk kept it from removing.
    await jetstream(connection).publish("send.requested.nobody", "x");
    await bus.publish(requested("acc_1"));
    assert.equal(await bus.dropPassed(), 0, "it may be on its way to be removed");
    assert.equal(await bus.dropPassed(), 0, "what waits behind it has not been dealt with");
    const consumer = await jetstream(connection).consumers.get("RENDER", "renderer_transactional");
    const event = await consumer.next();
    assert.equal(await bus.dropPassed(), 0);
    assert.equal(await messages(), 2);
    assert.equal(await event?.ackAck(), true);
    assert.equal(await bus.dropPassed(), 0, "not the first time");
    assert.equal(await messages(), 1);
    assert.equal(await bus.dropPassed(), 1);
    assert.equal(await messages(), 0);

    await bus.publish(requested("acc_1"));
    for (let look = 0; look < 3; look++) assert.equal(await bus.dropPassed(), 0);
    assert.equal(await messages(), 1, "an event that waits stays");
  } finally {
    await connection.close();
  }
});

test("dropPassed() leaves events alone that a consumer is missing for", async () => {
  await using nats = await openTestNats();
  await using bus = await openBus({ url: nats.url, name: "test" });
  await bus.applyTopology();
  const connection = await connect({ servers: nats.url });
  try {
    const manager = await jetstreamManager(connection);
    await manager.consumers.delete("RENDER", "renderer_transactional");
    await bus.publish(requested("acc_1"));
    for (let look = 0; look < 3; look++) assert.equal(await bus.dropPassed(), 0);
  } finally {
    await connection.close();
  }
});
