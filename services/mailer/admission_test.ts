import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { IntegrationCircuit } from "@posthaste/storage";
import { stopTime } from "@posthaste/kit";
import { integrationOf } from "./_test_integration.ts";
import { type AdmissionResult, openAdmission, type Permit } from "./admission.ts";

function openTestAdmission(circuit?: Partial<IntegrationCircuit>) {
  const world = { now: 1_000_000, date: 1_000_000, peers: { count: 1, position: 0 } };
  const ending = new AbortController();
  const admission = openAdmission({
    peers: () => world.peers,
    circuitOf: (_id) =>
      circuit && { _id, failures: 5, openUntil: null, reason: "gone", ...circuit },
    now: () => new Date(world.date),
    clock: { now: () => world.now },
    lastCall: ending.signal,
  });
  return { admission, world, end: () => ending.abort() };
}

function passed(admitted: AdmissionResult): Permit {
  assert.ok(typeof admitted !== "string", `${admitted}`);
  return admitted;
}

test("admit() makes mails wait a moment for a fast server, in their order", async (context) => {
  stopTime(context);
  const { admission } = openTestAdmission();
  const integration = integrationOf({ maxConnections: 1 });
  const order: number[] = [];
  const permits: Permit[] = [];
  for (let n = 0; n < 30; n++) {
    admission.admit(integration, "transactional").then((admitted) => {
      order.push(n);
      permits.push(passed(admitted));
    });
    await turn();
  }
  assert.deepEqual(order, [0, 1]);
  for (const permit of permits) {
    permit.leave();
    await turn();
  }
  assert.deepEqual(order, Array.from({ length: 30 }, (_, n) => n));
});

test("admit() lets a transactional mail go before the bulk mails that wait", async (context) => {
  stopTime(context);
  const { admission } = openTestAdmission();
  const integration = integrationOf({ maxConnections: 1 });
  const order: string[] = [];
  const permits: Permit[] = [];
  const names = [...Array.from({ length: 8 }, (_, n) => `bulk ${n}`), "single"];
  for (const name of names) {
    admission.admit(integration, name === "single" ? "transactional" : "bulk").then((admitted) => {
      order.push(name);
      permits.push(passed(admitted));
    });
    await turn();
  }
  permits[0]?.leave();
  await turn();
  assert.deepEqual(order, ["bulk 0", "bulk 1", "single"]);
});

test("admit() does not count the bulk mails that wait in the wait of a transactional one", async (context) => {
  const { move } = stopTime(context);
  const { admission } = openTestAdmission();
  const integration = integrationOf({ maxConnections: 1 });
  const first = passed(await admission.admit(integration, "bulk"));
  await move(3000);
  first.leave();
  const all = Array.from({ length: 28 }, () => admission.admit(integration, "bulk"));
  const single = admission.admit(integration, "transactional");
  await move(1000);
  const [begun] = await Promise.all(all.slice(0, 2));
  passed(begun ?? "later").leave();
  await move(10_000);
  passed(await single);
  await Promise.all(all);
});

test("admit() assigns no slot twice to concurrent mails", async (context) => {
  const { move } = stopTime(context);
  const { admission } = openTestAdmission();
  const integration = integrationOf({ maxConnections: 1 });
  const places = 2;
  const permits: Permit[] = [];
  const all = Promise.all(
    Array.from({ length: 10 }, async () => {
      const admitted = await admission.admit(integration, "transactional");
      if (typeof admitted !== "string") permits.push(admitted);
    }),
  );
  await turn();
  assert.equal(permits.length, places);
  // A mail that ends frees one slot, although another one comes in between.
  permits[0]?.leave();
  const late = admission.admit(integration, "transactional");
  await turn();
  assert.equal(permits.length, places + 1);
  await move(10_000);
  await all;
  assert.equal(await late, "later");
  assert.equal(permits.length, places + 1);
});

test("admit() returns mail for a server that hangs within eight seconds", async (context) => {
  const { move } = stopTime(context);
  const { admission } = openTestAdmission();
  const integration = integrationOf({ maxConnections: 2 });
  const first = await Promise.all(
    Array.from({ length: 4 }, () => admission.admit(integration, "transactional")),
  );
  first.forEach(passed);
  let admitted: AdmissionResult | undefined;
  const waiting = admission.admit(integration, "transactional").then((one) => admitted = one);
  await move(7999);
  assert.equal(admitted, undefined);
  await move(1);
  assert.equal(await waiting, "later");
  await move(1);
  // These wait for nothing: from here on the time stands still.
  const more = await Promise.all(
    Array.from({ length: 100 }, () => admission.admit(integration, "transactional")),
  );
  for (const admitted of more) assert.equal(admitted, "later");
  passed(await admission.admit(integrationOf({ _id: "acc_2/1" }), "transactional"));
  passed(first[0] as AdmissionResult).leave();
  passed(await admission.admit(integration, "transactional"));
});

test("admit() makes mail wait for a place that a slow server frees soon", async (context) => {
  const { move } = stopTime(context);
  const { admission } = openTestAdmission();
  const integration = integrationOf({ maxConnections: 5 });
  const begun: Permit[] = [];
  // Ten places: each second, a transaction of ten seconds ends and another one begins.
  for (let second = 0; second < 60; second++) {
    if (begun.length === 10) begun.shift()?.leave();
    begun.push(passed(await admission.admit(integration, "bulk")));
    await move(1000);
  }
  const next = admission.admit(integration, "bulk");
  await turn();
  begun.shift()?.leave();
  passed(await next);
});

test("admit() learns nothing of a server from a mail that got no connection", async (context) => {
  const { move } = stopTime(context);
  const { admission } = openTestAdmission();
  const integration = integrationOf({ maxConnections: 1 });
  passed(await admission.admit(integration, "transactional"));
  const untried = passed(await admission.admit(integration, "transactional"));
  await move(8001);
  untried.giveBack();
  passed(await admission.admit(integration, "transactional"));
  // The server still hangs: this one waits for nothing.
  assert.equal(await admission.admit(integration, "transactional"), "later");
});

test("admit() returns all mail when the process is about to end", async (context) => {
  stopTime(context);
  const { admission, end } = openTestAdmission();
  const integration = integrationOf({ maxConnections: 1 });
  const begun = [
    await admission.admit(integration, "transactional"),
    await admission.admit(integration, "transactional"),
  ];
  const waiting = Array.from({ length: 30 }, () => admission.admit(integration, "transactional"));
  await turn();
  end();
  assert.deepEqual(new Set(await Promise.all(waiting)), new Set(["later"]));
  for (const admitted of begun) passed(admitted).leave();
  assert.equal(await admission.admit(integration, "transactional"), "later");
});

test("admit() makes mail wait while one transaction hangs and the others end", async (context) => {
  const { move } = stopTime(context);
  const { admission } = openTestAdmission();
  const integration = integrationOf({ maxConnections: 1 });
  passed(await admission.admit(integration, "transactional"));
  for (let second = 0; second < 15; second++) {
    const permit = passed(await admission.admit(integration, "transactional"));
    await move(1000);
    permit.leave();
  }
  const last = passed(await admission.admit(integration, "transactional"));
  const waiting = admission.admit(integration, "transactional");
  await turn();
  last.leave();
  passed(await waiting);
});

test("admit() returns the mail of a suspended integration and of one whose login was refused", async () => {
  const { admission, world } = openTestAdmission();
  const suspended = { at: new Date(0), reason: "no login" };
  assert.equal(await admission.admit(integrationOf({ suspended }), "transactional"), "later");
  const integration = integrationOf();
  admission.block(integration);
  assert.equal(await admission.admit(integration, "transactional"), "later");
  world.now += 6000;
  passed(await admission.admit(integration, "transactional"));
});

test("admit() ends the pause after a refused login in time, although the clock was set back", async () => {
  const { admission, world } = openTestAdmission();
  admission.block(integrationOf());
  world.date -= 3_600_000;
  world.now += 6000;
  passed(await admission.admit(integrationOf(), "transactional"));
});

test("admit() returns mail whose login was refused while it waited", async (context) => {
  stopTime(context);
  const { admission } = openTestAdmission();
  const integration = integrationOf({ maxConnections: 1 });
  const [first, second] = [
    await admission.admit(integration, "transactional"),
    await admission.admit(integration, "transactional"),
  ];
  const waiting = admission.admit(integration, "transactional");
  await turn();
  admission.block(integration);
  passed(first).leave();
  assert.equal(await waiting, "later");
  // It has left its place.
  passed(second).leave();
  passed(
    await admission.admit(integrationOf({ _id: "acc_1/2", maxConnections: 1 }), "transactional"),
  );
});

test("admit() sends one mail as a probe after a pause, and returns the others", async () => {
  const open = openTestAdmission({ openUntil: new Date(1_000_001) });
  assert.equal(await open.admission.admit(integrationOf(), "transactional"), "later");
  const half = openTestAdmission({ openUntil: new Date(1_000_000) });
  const probe = passed(await half.admission.admit(integrationOf(), "transactional"));
  assert.equal(await half.admission.admit(integrationOf(), "transactional"), "later");
  probe.leave();
  passed(await half.admission.admit(integrationOf(), "transactional"));
});

test("admit() pauses for no server without a recorded pause, however often it failed", async () => {
  for (const failures of [4, 5, 50]) {
    const { admission } = openTestAdmission({ failures, openUntil: null });
    passed(await admission.admit(integrationOf(), "transactional"));
    passed(await admission.admit(integrationOf(), "transactional"));
  }
});

test("admit() leaves mail to mailers with a connection, and returns mail that no mailer may send", async () => {
  const { admission, world } = openTestAdmission();
  const integration = integrationOf({ maxConnections: 2 });
  const admissions = [0, 1, 2, 3, 4].map((position) => {
    world.peers = { count: 5, position };
    return admission.admit(integration, "transactional");
  });
  const elsewhere = (await Promise.all(admissions)).filter((admitted) => admitted === "elsewhere");
  assert.equal(elsewhere.length, 3);
  const suspended = integrationOf({ suspended: { at: new Date(0), reason: "no login" } });
  const none = { ...suspended, maxConnections: 0 };
  assert.equal(await admission.admit(none, "transactional"), "later");
});

test("admit() assigns each mailer its share of connections and of the rate", async () => {
  const { admission, world } = openTestAdmission();
  const integration = integrationOf({ maxConnections: 5 });
  let connections = 0;
  for (const position of [0, 1, 2]) {
    world.peers = { count: 3, position };
    connections += passed(await admission.admit(integration, "transactional")).connections;
  }
  assert.equal(connections, 5);
  world.peers = { count: 2, position: 0 };
  const slow = integrationOf({ _id: "acc_1/9", maxPerMinute: 1200 });
  passed(await admission.admit(slow, "transactional")).leave();
  world.now += 1000;
  for (let mails = 0; mails < 10; mails++) {
    passed(await admission.admit(slow, "transactional")).leave();
  }
  world.now += 10;
  const late = admission.admit(slow, "transactional");
  world.now += 90;
  passed(await late);
});

test("admit() lets mails wait for the rate, each for its own time, and returns those that would wait too long", async () => {
  const { admission, end } = openTestAdmission();
  // One every 25 ms; the first immediately.
  const fast = integrationOf({ maxPerMinute: 2400, maxConnections: 20 });
  const order: number[] = [];
  await Promise.all(Array.from({ length: 45 }, async (_, n) => {
    passed(await admission.admit(fast, "transactional")).leave();
    order.push(n);
  }));
  assert.deepEqual(order, Array.from({ length: 45 }, (_, n) => n), "in their order");

  // One every 3 s, and the clock stands still.
  const slow = integrationOf({ _id: "acc_1/9", maxPerMinute: 20 });
  const admissions = Array.from({ length: 4 }, () => admission.admit(slow, "transactional"));
  assert.equal(await admissions[3], "later");
  passed(await admissions[0] ?? "later");
  end();
  assert.deepEqual(await Promise.all(admissions.slice(1)), ["later", "later", "later"]);
});

test("admit() uses nothing of the rate for a mail that waits for a place in vain", async (context) => {
  const { move } = stopTime(context);
  const { admission, world } = openTestAdmission();
  const integration = integrationOf({ maxPerMinute: 60, maxConnections: 1 });
  const first = passed(await admission.admit(integration, "transactional"));
  world.now += 1000;
  passed(await admission.admit(integration, "transactional"));
  const late = admission.admit(integration, "transactional");
  await move(8000);
  assert.equal(await late, "later");
  first.leave();
  world.now += 1000;
  let next: AdmissionResult | undefined;
  void admission.admit(integration, "transactional").then((admitted) => next = admitted);
  await turn();
  passed(next ?? "later");
});

test("admit() gives a mail its share of connections after its wait for the rate", async (context) => {
  const { move } = stopTime(context);
  const { admission, world } = openTestAdmission();
  const integration = integrationOf({ maxPerMinute: 300, maxConnections: 5 });
  passed(await admission.admit(integration, "transactional")).leave();
  const waiting = admission.admit(integration, "transactional");
  world.peers = { count: 5, position: 0 };
  await move(1000);
  assert.equal(passed(await waiting).connections, 1);
});

test("admit() begins with one mail, not with a second's worth of the rate", async (context) => {
  stopTime(context);
  const { admission } = openTestAdmission();
  const integration = integrationOf({ maxPerMinute: 6000, maxConnections: 20 });
  let begun = 0;
  for (let mails = 0; mails < 10; mails++) {
    admission.admit(integration, "transactional").then(() => begun++);
  }
  await turn();
  assert.equal(begun, 1);
});

test("admit() lets all mailers together begin with one mail if the rate is low", async () => {
  const integration = integrationOf({ maxPerMinute: 30 });
  const mailers = [0, 1, 2, 3].map((position) => {
    const opened = openTestAdmission();
    opened.world.peers = { count: 4, position };
    return opened;
  });
  const results: string[] = [];
  for (let seconds = 0; seconds < 60; seconds += 2) {
    for (const { admission, world } of mailers) {
      const admitted = await admission.admit(integration, "transactional");
      if (typeof admitted !== "string") admitted.leave();
      results.push(typeof admitted === "string" ? admitted : "passed");
      world.now += 2000;
    }
  }
  const counts = Object.groupBy(results, (result) => result);
  assert.deepEqual([counts["passed"]?.length, counts["elsewhere"]?.length], [30, 90]);
});
