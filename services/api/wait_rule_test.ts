import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { until } from "@posthaste/kit";
import { openWaitRule } from "./wait_rule.ts";

const integration = (id: number) => ({ _id: `acc_1/${id}`, suspended: null, maxPerMinute: null });

test("mustWait() lets small sends go straight while their integration works and has no rate limit", () => {
  const { mustWait } = openWaitRule({
    integrations: { listBlocked: () => Promise.resolve(new Set()) },
    now: () => new Date(),
    logger: { warn: () => undefined },
  });
  assert.equal(mustWait(integration(1), "transactional"), false);
  assert.equal(mustWait(integration(1), "bulk"), true);
  assert.equal(mustWait({ ...integration(1), maxPerMinute: 60 }, "transactional"), true);
});

test("mustWait() lets mail of blocked integrations wait, keeps the list while the ledger is away, and removes reopened ones", async () => {
  let listed: Set<string> | undefined = new Set(["acc_1/2"]);
  let asked = 0;
  const warnings: string[] = [];
  const rule = openWaitRule({
    integrations: {
      listBlocked: () => {
        asked++;
        return listed === undefined ? Promise.reject(new Error("away")) : Promise.resolve(listed);
      },
    },
    now: () => new Date(),
    logger: { warn: (line) => void warnings.push(line) },
  });
  const isBlocked = (id: number) => rule.mustWait(integration(id), "transactional");
  assert.equal(isBlocked(2), false);
  const suspended = { at: new Date(), reason: "x" };
  assert.equal(rule.mustWait({ ...integration(2), suspended }, "transactional"), true);
  const stop = new AbortController();
  const following = rule.follow(stop.signal);
  await delay(0);
  assert.deepEqual([isBlocked(2), isBlocked(3)], [true, false]);
  listed = undefined;
  await until(() => asked >= 2);
  await delay(0);
  assert.equal(isBlocked(2), true);
  assert.deepEqual(warnings, ["Cannot read which integrations are blocked"]);
  listed = new Set();
  await until(() => asked >= 3);
  await delay(0);
  assert.equal(isBlocked(2), false);
  stop.abort();
  await following;
});

test("follow() seldom queries the ledger while no small send is accepted", async () => {
  for (const [priority, expected] of [["transactional", 2], ["bulk", 1]] as const) {
    let looks = 0;
    const rule = openWaitRule({
      integrations: {
        listBlocked: () => Promise.resolve(new Set(looks++ === 0 ? ["acc_1/1"] : [])),
      },
      now: () => new Date(),
      logger: { warn: () => undefined },
    }, { followMs: 1, idleMs: 3_600_000 });
    assert.equal(rule.mustWait(integration(1), priority), priority === "bulk");
    const stop = new AbortController();
    const following = rule.follow(stop.signal);
    await until(() => looks === expected);
    await delay(20);
    assert.equal(looks, expected);
    stop.abort();
    await following;
  }
});
