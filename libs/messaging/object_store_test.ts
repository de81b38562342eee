import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/nats-core";
import { connect } from "@nats-io/transport-node";
import { errorType } from "@posthaste/telemetry";
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { suite, test } from "node:test";
import { openTestBus, type TestBus } from "./_test_bus.ts";
import { openObjectStore } from "./object_store.ts";

interface TestConnection extends AsyncDisposable {
  connection: NatsConnection;
}

async function connectTo({ nats }: TestBus): Promise<TestConnection> {
  const connection = await connect({ servers: nats.url });
  return { connection, [Symbol.asyncDispose]: () => connection.close() };
}

function storeOf({ connection }: TestConnection) {
  return openObjectStore({ connection, stream: jetstream(connection) }, "pdfs");
}

suite("openObjectStore()", { concurrency: 4 }, () => {
  test("openObjectStore() gives back what was put, in one piece or many", async () => {
    await using open = await openTestBus();
    const store = open.bus.objects("pdfs");
    for (const size of [0, 1, 524_288, 524_289, 3_000_000]) {
      const bytes = randomBytes(size);
      await store.put(`key${size}`, bytes);
      assert.equal(await store.sizeOf(`key${size}`), size);
      assert.deepEqual(Buffer.from(await store.get(`key${size}`) ?? "absent"), bytes);
    }
  });

  test("openObjectStore() reads what is not there as absent", async () => {
    await using open = await openTestBus();
    const store = open.bus.objects("pdfs");
    assert.equal(await store.sizeOf("nothing"), undefined);
    assert.equal(await store.get("nothing"), undefined);
    await open.bus.objects("contents").put("elsewhere", Buffer.from("x"));
    assert.equal(await store.get("elsewhere"), undefined);
  });

  test("openObjectStore() replaces an object that is put again", async () => {
    await using open = await openTestBus();
    const store = open.bus.objects("contents");
    await store.put("key", Buffer.from("first"));
    await store.put("key", Buffer.from("second"));
    assert.equal(Buffer.from(await store.get("key") ?? "").toString(), "second");
  });

  test("openObjectStore() takes new objects though the store is full, for the oldest of them", async () => {
    await using open = await openTestBus();
    await using direct = await connectTo(open);
    const manager = await jetstreamManager(direct.connection);
    const { config } = await manager.streams.info("OBJ_pdfs");
    await manager.streams.update("OBJ_pdfs", { ...config, max_bytes: 1_000_000 });
    const store = storeOf(direct);
    const bytes = randomBytes(300_000);
    for (let n = 0; n < 8; n++) await store.put(`key${n}`, bytes);
    assert.equal((await store.get("key7"))?.length, 300_000);
    assert.equal(await store.get("key0"), undefined);
    await store.put("key0", bytes);
    assert.equal((await store.get("key0"))?.length, 300_000);
  });

  test("openObjectStore() reads an object without all of its pieces as absent", async () => {
    await using open = await openTestBus();
    await using direct = await connectTo(open);
    const store = storeOf(direct);
    await store.put("key", randomBytes(1_200_000));
    const manager = await jetstreamManager(direct.connection);
    await manager.streams.purge("OBJ_pdfs", { filter: "$O.pdfs.C.key-2" });
    assert.equal(await store.get("key"), undefined);
    assert.equal(await store.sizeOf("key"), undefined);
    await store.put("key", Buffer.from("again"));
    assert.equal(Buffer.from(await store.get("key") ?? "").toString(), "again");
  });

  test("openObjectStore() reads an object whose bytes were changed as absent", async () => {
    await using open = await openTestBus();
    await using direct = await connectTo(open);
    const store = storeOf(direct);
    await store.put("key", Buffer.from("as it was"));
    const manager = await jetstreamManager(direct.connection);
    const stored = await manager.streams.getMessage("OBJ_pdfs", { seq: 1 });
    const bytes = Buffer.from(stored?.data ?? []);
    assert.equal(bytes.subarray(40).toString(), "as it was");
    const damages = [
      Buffer.concat([bytes.subarray(0, 40), Buffer.from("changed.!")]),
      Buffer.concat([bytes, Buffer.from("more")]),
      bytes.subarray(0, -1),
      bytes.subarray(0, 10),
      Buffer.alloc(0),
    ];
    for (const damaged of damages) {
      await jetstream(direct.connection).publish(stored?.subject ?? "", damaged);
      assert.equal(await store.get("key"), undefined);
      assert.equal(await store.sizeOf("key"), undefined);
    }
    await store.put("key", Buffer.from("as it was"));
    assert.equal(await store.sizeOf("key"), 9);
  });

  test("openObjectStore() keeps an object in one message under its key", async () => {
    await using open = await openTestBus();
    await using direct = await connectTo(open);
    const store = storeOf(direct);
    for (let times = 0; times < 3; times++) await store.put("key", randomBytes(200_000));
    const manager = await jetstreamManager(direct.connection);
    const { state } = await manager.streams.info("OBJ_pdfs", { subjects_filter: ">" });
    assert.deepEqual(state.subjects, { "$O.pdfs.C.key": 1 });
  });

  test("openObjectStore() calls a store that is missing an outage, and uses it once made", async () => {
    await using open = await openTestBus();
    await using direct = await connectTo(open);
    const store = open.bus.objects("pdfs");
    const used = open.bus.objects("pdfs");
    await used.put("key", Buffer.from("x"));
    const manager = await jetstreamManager(direct.connection);
    await manager.streams.delete("OBJ_pdfs");
    const isOutage = (error: unknown) => errorType(error) === "unavailable";
    for (const { sizeOf, get, put } of [store, used]) {
      await assert.rejects(sizeOf("key"), isOutage);
      await assert.rejects(get("key"), isOutage);
      await assert.rejects(put("key", Buffer.from("x")), isOutage);
    }
    await open.bus.applyTopology();
    for (const { get, put } of [store, used]) {
      await put("key", Buffer.from("back"));
      assert.equal(Buffer.from(await get("key") ?? "").toString(), "back");
    }
  });
});
