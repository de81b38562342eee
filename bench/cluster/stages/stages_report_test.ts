import assert from "node:assert/strict";
import { test } from "node:test";
import type { StageMeasurement } from "./measure_stage.ts";
import { writeStages } from "./stages_report.ts";

const ONE: StageMeasurement = {
  ...{ stage: "mailer", unit: "mail", replicas: 1, workers: 1, waitsFor: undefined },
  ...{ perSecond: 200, foreign: 0.02 },
  each: { cpu: { own: 2, nats: 0.5, mongod: 1 }, bytes: { nats: 1500, mongod: 9000 }, syncs: 0.25 },
};

test("writeStages() compares with one worker under the same conditions", () => {
  const waiting = { ...ONE, waitsFor: "a slow server" };
  const text = writeStages([
    { ...ONE, replicas: 3, perSecond: 100 },
    ONE,
    { ...ONE, workers: 2, perSecond: 300 },
    { ...waiting, perSecond: 30 },
    { ...waiting, workers: 3, perSecond: 90 },
  ]);
  const rows = text.split("\n").slice(2).map((line) => line.trim().split(/ {2,}/));
  assert.deepEqual(rows[2], [
    ...["mailer (mail)", "1", "2", "300", "1.50", "2.00", "0.50", "1.00", "3.50"],
    ...["1.5", "9.0", "0.25", "2 %"],
  ]);
  assert.deepEqual(rows[4]?.slice(0, 5), ["mailer (mail) *", "1", "3", "90", "3.00"]);
  assert.deepEqual(rows.at(-1), ["* mailer: a slow server"]);
});
