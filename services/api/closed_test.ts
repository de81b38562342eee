import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { until } from "@posthaste/kit";
import { openClosed } from "./closed.ts";

const integration = (id: number) => ({ _id: `acc_1/${id}`, suspended: null });

test("openClosed() lists closed integrations, keeps the list while the ledger is away, and removes reopened ones", async () => {
  let listed: Set<string> | undefined = new Set(["acc_1/2"]);
  let asked = 0;
  const warnings: string[] = [];
  const closed = openClosed({
    integrations: {
      listClosed: () => {
        asked++;
        return listed === undefined ? Promise.reject(new Error("away")) : Promise.resolve(listed);
      },
    },
    now: () => new Date(),
    logger: { warn: (line) => void warnings.push(line) },
  });
  assert.equal(closed.has(integration(2)), false);
  assert.equal(closed.has({ _id: "acc_1/2", suspended: { at: new Date(), reason: "x" } }), true);
  const stop = new AbortController();
  const following = closed.follow(stop.signal);
  await delay(0);
  assert.deepEqual([closed.has(integration(2)), closed.has(integration(3))], [true, false]);
  listed = undefined;
  await until(() => asked >= 2);
  await delay(0);
  assert.equal(closed.has(integration(2)), true);
  assert.deepEqual(warnings, ["Cannot read which integrations are closed"]);
  listed = new Set();
  await until(() => asked >= 3);
  await delay(0);
  assert.equal(closed.has(integration(2)), false);
  stop.abort();
  await following;
});

test("openClosed() seldom queries the ledger while it is not used itself", async () => {
  let looks = 0;
  const closed = openClosed({
    integrations: { listClosed: () => Promise.resolve(new Set(looks++ === 0 ? ["acc_1/1"] : [])) },
    now: () => new Date(),
    logger: { warn: () => undefined },
  }, { followMs: 1, idleMs: 3_600_000 });
  assert.equal(closed.has(integration(1)), false);
  const stop = new AbortController();
  const following = closed.follow(stop.signal);
  await until(() => looks === 2);
  await delay(20);
  assert.equal(looks, 2);
  stop.abort();
  await following;
});
