import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { IntegrationHold } from "@posthaste/storage";
import { until } from "@posthaste/testing";
import { openHolds } from "./holds.ts";

const send = (integrationId: number, lane: "bulk" | "transactional") => ({
  accountId: "acc_1",
  integrationId,
  lane,
});

test("openHolds() tells of what is held, keeps it while the ledger is away, and learns it is free", async () => {
  let listed: IntegrationHold[] | undefined = [
    { _id: "acc_1/1", reason: "behind", bulkOnly: true },
    { _id: "acc_1/2", reason: "stopped", bulkOnly: false },
  ];
  let asked = 0;
  const warnings: string[] = [];
  const holds = openHolds({
    listHolds: () => {
      asked++;
      return listed === undefined ? Promise.reject(new Error("away")) : Promise.resolve(listed);
    },
    now: () => new Date(),
    logger: { warn: (line) => void warnings.push(line) },
  });
  assert.equal(holds.reasonToPark(send(1, "bulk")), undefined);
  const stop = new AbortController();
  const following = holds.follow(stop.signal);
  await delay(0);
  assert.equal(holds.reasonToPark(send(1, "bulk")), "behind");
  assert.equal(holds.reasonToPark(send(1, "transactional")), undefined);
  assert.equal(holds.reasonToPark(send(2, "transactional")), "stopped");
  assert.equal(holds.reasonToPark(send(3, "bulk")), undefined);
  assert.equal(holds.reasonToPark({ ...send(2, "bulk"), accountId: "acc_2" }), undefined);

  listed = undefined;
  await until(() => asked >= 2);
  await delay(0);
  assert.equal(holds.reasonToPark(send(1, "bulk")), "behind");
  assert.deepEqual(warnings, ["Cannot learn which integrations are held"]);
  listed = [];
  await until(() => asked >= 3);
  await delay(0);
  assert.equal(holds.reasonToPark(send(1, "bulk")), undefined);
  stop.abort();
  await following;
});
