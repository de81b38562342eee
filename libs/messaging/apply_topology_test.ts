import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { openNatsServer } from "@posthaste/embedded";
import { openTestNats } from "@posthaste/kit";
import assert from "node:assert/strict";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { applyTopology } from "./apply_topology.ts";
import { rendered, requested } from "./_test_bus.ts";
import { openBus } from "./bus.ts";
import { CONSUMERS, STREAMS } from "./topology.ts";

test("applyTopology() creates everything, and a second time leaves it and its events be", async () => {
  await using nats = await openTestNats();
  await using bus = await openBus({ url: nats.url, name: "test" });
  await assert.rejects(bus.check(), {
    message:
      "Cannot use the broker: streams are missing: RENDER_NOW, INTERACTIVE, RENDER, PRINT, MAIL, STATUS",
  });
  await bus.applyTopology();
  await bus.check();
  await bus.publish(requested("acc_1"));
  await bus.objects("pdfs").put("key", Buffer.from("x"));
  await bus.applyTopology();
  const states = await bus.streamStates();
  assert.equal(states.get("RENDER")?.messages, 1);
  assert.equal(await bus.objects("pdfs").sizeOf("key"), 1);
  assert.deepEqual(
    [...states.keys()].toSorted(),
    [...STREAMS.map(({ name }) => name), "OBJ_contents", "OBJ_pdfs", "KV_poison"].toSorted(),
  );
});

test("applyTopology() removes what a version before published on subjects that are gone", async () => {
  await using nats = await openTestNats();
  await using bus = await openBus({ url: nats.url, name: "test" });
  await bus.applyTopology();
  const connection = await connect({ servers: nats.url });
  const manager = await jetstreamManager(connection);
  const { config } = await manager.streams.info("MAIL");
  const old = "message.printed.*";
  await manager.streams.update("MAIL", { ...config, subjects: [...config.subjects, old] });
  await jetstream(connection).publish("message.printed.bulk", "{}");
  await bus.publish(rendered("acc_1"));
  await bus.applyTopology();
  assert.equal((await bus.streamStates()).get("MAIL")?.messages, 1);
  assert.deepEqual((await manager.streams.info("MAIL")).config.subjects, config.subjects);
  await connection.close();
});

test("applyTopology() makes all sizes smaller if the broker has less space, and larger again", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "posthaste-small-"));
  const options = { env: process.env, dataDir, isTemporary: true };
  const limits = async (url: string) => {
    await using bus = await openBus({ url, name: "test" });
    await bus.applyTopology();
    const connection = await connect({ servers: url });
    const manager = await jetstreamManager(connection);
    const found = await Promise.all(STREAMS.map(({ name }) => manager.streams.info(name)));
    await connection.close();
    return found.map(({ config }, index) => config.max_bytes / (STREAMS[index]?.maxBytes ?? 0));
  };
  {
    await using nats = await openNatsServer({ ...options, maxFileStoreBytes: 2 * 1024 ** 3 });
    assert.deepEqual(new Set(await limits(nats.url)), new Set([1 / 4]));
    assert.deepEqual(new Set(await limits(nats.url)), new Set([1 / 4]));
  }
  const dir = await mkdtemp(join(tmpdir(), "posthaste-large-"));
  await using nats = await openNatsServer({ ...options, dataDir: dir });
  assert.deepEqual(new Set(await limits(nats.url)), new Set([1]));
});

test("applyTopology() takes over a store of an earlier version", async () => {
  await using nats = await openTestNats();
  await using bus = await openBus({ url: nats.url, name: "test" });
  const connection = await connect({ servers: nats.url });
  const manager = await jetstreamManager(connection);
  await manager.streams.add({
    name: "OBJ_pdfs",
    subjects: ["$O.pdfs.C.>", "$O.pdfs.M.>"],
    allow_direct: true,
    allow_rollup_hdrs: true,
  });
  for (const subject of ["$O.pdfs.C.nuid", "$O.pdfs.C.nuid", "$O.pdfs.M.a2V5"]) {
    await jetstream(connection).publish(subject, "old");
  }
  await bus.applyTopology();
  const { config } = await manager.streams.info("OBJ_pdfs");
  assert.deepEqual(config.subjects, ["$O.pdfs.C.*"]);
  assert.equal(config.allow_direct, false);
  await bus.objects("pdfs").put("key", Buffer.from("new"));
  assert.equal(await bus.objects("pdfs").sizeOf("key"), 3);
  assert.equal(await bus.objects("pdfs").sizeOf("nuid"), undefined);
  await connection.close();
});

test("applyTopology() brings streams and consumers that differ to the plan", async () => {
  await using nats = await openTestNats();
  const connection = await connect({ servers: nats.url });
  await applyTopology(jetstream(connection));
  const manager = await jetstreamManager(connection);
  const [plan] = CONSUMERS;
  assert.ok(plan);
  await manager.streams.update("MAIL", { max_bytes: 1000 });
  await manager.consumers.update(plan.stream, plan.name, { max_ack_pending: 1 });
  await manager.consumers.delete("MAIL", "mailer_bulk");
  await applyTopology(jetstream(connection));
  const { config } = await manager.streams.info("MAIL");
  assert.equal(config.max_bytes, STREAMS.find(({ name }) => name === "MAIL")?.maxBytes);
  const consumer = await manager.consumers.info(plan.stream, plan.name);
  assert.equal(consumer.config.max_ack_pending, plan.maxAckPending);
  for (const { stream, name, filterSubjects } of CONSUMERS) {
    const { config } = await manager.consumers.info(stream, name);
    assert.deepEqual(config.filter_subjects ?? [config.filter_subject], filterSubjects, name);
  }
  await connection.close();
});
