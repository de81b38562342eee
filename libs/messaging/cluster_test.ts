import { openNatsCluster } from "@posthaste/embedded";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { takesLong, until } from "@posthaste/kit";
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openTestLogger, renderStep, requested } from "./_test_bus.ts";
import { openBus } from "./bus.ts";
import { CONSUMERS, STORES, STREAMS } from "./topology.ts";

takesLong();

test("applyTopology() keeps three copies in a cluster, and work goes on without its leader", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "posthaste-cluster-"));
  {
    await using cluster = await openNatsCluster({ env: process.env, dataDir, isTemporary: true });
    await using bus = await openBus({ url: cluster.url, name: "test" });
    // On a machine that stalls, members count as offline for a moment: "no suitable peers for placement".
    await until(() => bus.applyTopology({ replicas: 3 }).then(() => true));
    await bus.applyTopology({ replicas: 3 });

    const connection = await connect({ servers: cluster.url.split(",") });
    const manager = await jetstreamManager(connection);
    const streams = [...STREAMS, ...STORES.map(({ name }) => ({ name: `OBJ_${name}` }))];
    for (const { name } of streams) {
      assert.equal((await manager.streams.info(name)).config.num_replicas, 3, name);
    }
    for (const { stream, name } of CONSUMERS) {
      const { cluster: group } = await manager.consumers.info(stream, name);
      assert.equal(group?.replicas?.length, 2, name);
    }
    await connection.close();

    const stop = new AbortController();
    const seen = new Set<string>();
    const step = renderStep(({ data }) => {
      seen.add(data.accountId);
      return Promise.resolve({ type: "done", publish: [] });
    });
    const options = { concurrency: 4, signal: stop.signal, logger: openTestLogger() };
    const consuming = bus.consume(step, { ...options, consumer: "renderer_transactional" });
    await bus.publish(requested("before"));
    await until(() => seen.has("before"));

    const leader = await until(() => cluster.streamLeader("RENDER"));
    await leader.kill();
    await until(() => bus.publish(requested("after")).then(() => true));
    await until(() => seen.has("after"));
    await leader.restart();
    await cluster.settled();
    stop.abort();
    await consuming;
  }
  await rm(dataDir, { recursive: true, force: true });
});
