import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { until } from "@posthaste/kit";
import { openBlocked } from "./blocked_integrations.ts";

const integration = (id: number) => ({ _id: `acc_1/${id}`, suspended: null });

test("openBlocked() lists blocked integrations, keeps the list while the ledger is away, and removes reopened ones", async () => {
  let listed: Set<string> | undefined = new Set(["acc_1/2"]);
  let asked = 0;
  const warnings: string[] = [];
  const blocked = openBlocked({
    integrations: {
      listBlocked: () => {
        asked++;
        return listed === undefined ? Promise.reject(new Error("away")) : Promise.resolve(listed);
      },
    },
    now: () => new Date(),
    logger: { warn: (line) => void warnings.push(line) },
  });
  assert.equal(blocked.has(integration(2)), false);
  assert.equal(blocked.has({ _id: "acc_1/2", suspended: { at: new Date(), reason: "x" } }), true);
  const stop = new AbortController();
  const following = blocked.follow(stop.signal);
  await delay(0);
  assert.deepEqual([blocked.has(integration(2)), blocked.has(integration(3))], [true, false]);
  listed = undefined;
  await until(() => asked >= 2);
  await delay(0);
  assert.equal(blocked.has(integration(2)), true);
  assert.deepEqual(warnings, ["Cannot read which integrations are blocked"]);
  listed = new Set();
  await until(() => asked >= 3);
  await delay(0);
  assert.equal(blocked.has(integration(2)), false);
  stop.abort();
  await following;
});

test("openBlocked() seldom queries the ledger while it is not used itself", async () => {
  let looks = 0;
  const blocked = openBlocked({
    integrations: { listBlocked: () => Promise.resolve(new Set(looks++ === 0 ? ["acc_1/1"] : [])) },
    now: () => new Date(),
    logger: { warn: () => undefined },
  }, { followMs: 1, idleMs: 3_600_000 });
  assert.equal(blocked.has(integration(1)), false);
  const stop = new AbortController();
  const following = blocked.follow(stop.signal);
  await until(() => looks === 2);
  await delay(20);
  assert.equal(looks, 2);
  stop.abort();
  await following;
});
