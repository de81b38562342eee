import assert from "node:assert/strict";
import { test } from "node:test";
import { patientCheck } from "./patient_check.ts";

/** The time limit of the health server for a check. */
const HEALTH_PATIENCE_MS = 2000;

test("patientCheck() must pass at first, and may then fail for a while", async () => {
  let now = 0;
  let isUp = false;
  const check = patientCheck(() => isUp ? Promise.resolve() : Promise.reject(new Error("away")), {
    patienceMs: 1000,
    clock: { now: () => now },
  });
  await assert.rejects(check(), /away/);
  isUp = true;
  await check();
  isUp = false;
  now = 1000;
  await check();
  now = 1001;
  await assert.rejects(check(), /away/);
  isUp = true;
  await check();
  isUp = false;
  now = 2001;
  await check();
});

test("patientCheck() answers within the time limit of the health server", async ({ mock }) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  let calls = 0;
  let now = 0;
  const check = patientCheck(
    () => calls++ === 0 ? Promise.resolve() : new Promise(() => {}),
    { patienceMs: 1000, clock: { now: () => now } },
  );
  await check();
  const refused = assert.rejects(check(), /no answer within 1500 ms/);
  now += HEALTH_PATIENCE_MS - 1;
  mock.timers.tick(HEALTH_PATIENCE_MS - 1);
  await refused;
});
