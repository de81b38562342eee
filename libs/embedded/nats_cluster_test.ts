import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { nightly } from "@posthaste/kit";
import { converse, request } from "./_nats_conversation.ts";
import { temporaryDir } from "./_temporary_dir.ts";
import { type NatsCluster, type NatsMember, openNatsCluster } from "./nats_cluster.ts";

nightly("libs/messaging/cluster_test.ts");

const CREATE = JSON.stringify({ name: "KEPT", subjects: ["kept"], num_replicas: 3 });

async function leaderOf(cluster: NatsCluster, not?: NatsMember): Promise<NatsMember> {
  for (let i = 0; i < 300; i++) {
    const leader = await cluster.streamLeader("KEPT");
    if (leader !== undefined && leader !== not) return leader;
    await sleep(50);
  }
  assert.fail("the stream has no leader");
}

test("openNatsCluster() keeps a stream while its leader is killed, and another one hangs", async () => {
  await using dir = await temporaryDir();
  const ends: unknown[] = [];
  await using cluster = await openNatsCluster({
    env: process.env,
    dataDir: dir.path,
    onUnexpectedExit: (exit) => ends.push(exit),
  });
  assert.deepEqual(cluster.members.map(({ name }) => name), ["n1", "n2", "n3"]);
  assert.equal(cluster.url, cluster.members.map(({ port }) => `nats://127.0.0.1:${port}`).join());
  assert.equal(await cluster.streamLeader("KEPT"), undefined);
  const [any] = cluster.members;
  assert.ok(any);
  await converse(any.port, request("$JS.API.STREAM.CREATE.KEPT", CREATE), '"did_create":true');
  const first = await leaderOf(cluster);
  await converse(first.port, request("kept", "one"), '"seq":1');

  await first.kill();
  const second = await leaderOf(cluster, first);
  await converse(second.port, request("kept", "two"), '"seq":2');
  await first.restart();
  await cluster.settled();

  second.signal("SIGSTOP");
  const third = await leaderOf(cluster, second);
  await converse(third.port, request("kept", "three"), '"seq":3');
  second.signal("SIGCONT");
  await cluster.settled();
  const info = await converse(third.port, request("$JS.API.STREAM.INFO.KEPT", ""), '"messages":');
  assert.match(info, /"messages":3/);
  assert.deepEqual(ends, []);
});
