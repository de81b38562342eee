import assert from "node:assert/strict";
import { test } from "node:test";
import { planRuns } from "./plan_runs.ts";

const fault = (name: string, weight?: number) => ({
  name,
  description: name,
  ...(weight === undefined ? {} : { weight }),
});
const options = {
  seed: 7,
  faults: [fault("a"), fault("b", 3)],
  rounds: 2,
  messages: 800,
  minutes: 4,
  resume: undefined,
  quietSeconds: 60,
};

test("planRuns() shares mails and time by weight, and seeds each run by itself", () => {
  const runs = planRuns(options);
  assert.deepEqual(runs.map(({ name, messages, seconds }) => [name, messages, seconds]), [
    ["r1-a", 100, 30],
    ["r1-b", 300, 90],
    ["r2-a", 100, 30],
    ["r2-b", 300, 90],
  ]);
  assert.equal(new Set(runs.map(({ seed }) => seed)).size, 4);
});

test("planRuns() begins with the run to resume, which is the same as before", () => {
  const resumed = planRuns({ ...options, resume: { round: 1, fault: "b" } });
  assert.deepEqual(resumed, planRuns(options).slice(1));
  assert.throws(() => planRuns({ ...options, resume: { round: 3, fault: "b" } }), /not planned/);
});
