import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { IntegrationTrouble } from "@posthaste/storage";
import { stopTime } from "@posthaste/kit";
import { integrationOf } from "./_test_integration.ts";
import { type Admission, openGate, type Passage } from "./gate.ts";

function openTestGate(circuit?: Partial<IntegrationTrouble>) {
  const world = { now: 1_000_000, peers: { count: 1, position: 0 } };
  const gate = openGate({
    peers: () => world.peers,
    circuitOf: (_id) =>
      circuit && { _id, failures: 5, openUntil: null, reason: "gone", ...circuit },
    now: () => new Date(world.now),
  });
  return { gate, world };
}

function passed(admission: Admission): Passage {
  assert.ok(typeof admission !== "string", `${admission}`);
  return admission;
}

test("admit() lets mails wait a moment at a fast server, in their order", async (context) => {
  stopTime(context);
  const { gate } = openTestGate();
  const integration = integrationOf({ maxConnections: 1 });
  const order: number[] = [];
  const passages: Passage[] = [];
  for (let n = 0; n < 30; n++) {
    gate.admit(integration, "transactional").then((admission) => {
      order.push(n);
      passages.push(passed(admission));
    });
    await turn();
  }
  assert.deepEqual(order, [0, 1]);
  for (const passage of passages) {
    passage.leave();
    await turn();
  }
  assert.deepEqual(order, Array.from({ length: 30 }, (_, n) => n));
});

test("admit() gives no place twice to mails that come at the same moment", async (context) => {
  const { move } = stopTime(context);
  const { gate } = openTestGate();
  const integration = integrationOf({ maxConnections: 1 });
  const places = 2;
  const passages: Passage[] = [];
  const all = Promise.all(
    Array.from({ length: 10 }, async () => {
      const admission = await gate.admit(integration, "transactional");
      if (typeof admission !== "string") passages.push(admission);
    }),
  );
  await turn();
  assert.equal(passages.length, places);
  // Who leaves makes room for one, though another comes in between.
  passages[0]?.leave();
  const late = gate.admit(integration, "transactional");
  await turn();
  assert.equal(passages.length, places + 1);
  await move(3000);
  await all;
  assert.equal(await late, "later");
  assert.equal(passages.length, places + 1);
});

test("admit() gives back within three seconds what a server that hangs would keep waiting", async (context) => {
  const { move } = stopTime(context);
  const { gate } = openTestGate();
  const integration = integrationOf({ maxConnections: 2 });
  const first = await Promise.all(
    Array.from({ length: 4 }, () => gate.admit(integration, "transactional")),
  );
  first.forEach(passed);
  let admission: Admission | undefined;
  const waiting = gate.admit(integration, "transactional").then((one) => admission = one);
  await move(2999);
  assert.equal(admission, undefined);
  await move(1);
  assert.equal(await waiting, "later");
  await move(1);
  // These wait for nothing: from here on the time stands still.
  const more = await Promise.all(
    Array.from({ length: 100 }, () => gate.admit(integration, "transactional")),
  );
  for (const admission of more) assert.equal(admission, "later");
  passed(await gate.admit(integrationOf({ _id: "acc_2/1" }), "transactional"));
  passed(first[0] as Admission).leave();
  passed(await gate.admit(integration, "transactional"));
});

test("admit() gives back the mail of a suspended integration and of one whose login was refused", async () => {
  const { gate, world } = openTestGate();
  const suspended = { at: new Date(0), reason: "no login" };
  assert.equal(await gate.admit(integrationOf({ suspended }), "transactional"), "later");
  const integration = integrationOf();
  gate.block(integration);
  assert.equal(await gate.admit(integration, "transactional"), "later");
  world.now += 6000;
  passed(await gate.admit(integration, "transactional"));
});

test("admit() lets one mail probe a server that was left alone, and gives back the others", async () => {
  const open = openTestGate({ openUntil: new Date(1_000_001) });
  assert.equal(await open.gate.admit(integrationOf(), "transactional"), "later");
  const half = openTestGate({ openUntil: new Date(1_000_000) });
  const probe = passed(await half.gate.admit(integrationOf(), "transactional"));
  assert.equal(await half.gate.admit(integrationOf(), "transactional"), "later");
  probe.leave();
  passed(await half.gate.admit(integrationOf(), "transactional"));
});

test("admit() leaves no server alone for a pause that nobody noted, however often it failed", async () => {
  for (const failures of [4, 5, 50]) {
    const { gate } = openTestGate({ failures, openUntil: null });
    passed(await gate.admit(integrationOf(), "transactional"));
    passed(await gate.admit(integrationOf(), "transactional"));
  }
});

test("admit() leaves mail to the mailers that have a connection, and gives back what nobody may send", async () => {
  const { gate, world } = openTestGate();
  const integration = integrationOf({ maxConnections: 2 });
  const admissions = [0, 1, 2, 3, 4].map((position) => {
    world.peers = { count: 5, position };
    return gate.admit(integration, "transactional");
  });
  const elsewhere = (await Promise.all(admissions)).filter((admission) =>
    admission === "elsewhere"
  );
  assert.equal(elsewhere.length, 3);
  const suspended = integrationOf({ suspended: { at: new Date(0), reason: "no login" } });
  assert.equal(await gate.admit({ ...suspended, maxConnections: 0 }, "bulk"), "later");
});

test("admit() gives each mailer its share of connections and of the rate", async () => {
  const { gate, world } = openTestGate();
  const integration = integrationOf({ maxConnections: 5 });
  const shares = [0, 1, 2].map(async (position) => {
    world.peers = { count: 3, position };
    return passed(await gate.admit(integration, "transactional")).connections;
  });
  assert.equal((await Promise.all(shares)).reduce((a, b) => a + b), 5);
  world.peers = { count: 2, position: 0 };
  const slow = integrationOf({ _id: "acc_1/9", maxPerMinute: 1200 });
  for (let mails = 0; mails < 10; mails++) passed(await gate.admit(slow, "transactional")).leave();
  world.now += 10;
  const late = gate.admit(slow, "transactional");
  world.now += 90;
  passed(await late);
  world.now += 10;
  const slower = integrationOf({ _id: "acc_1/9", maxPerMinute: 6 });
  assert.equal(await gate.admit(slower, "transactional"), "later");
});
