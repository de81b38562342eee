import assert from "node:assert/strict";
import { test } from "node:test";
import type { IntegrationResult } from "./integration_results.ts";
import { type IntegrationInput, integrationStateOf } from "./integration_state.ts";

const at = new Date("2026-03-01T12:00:00Z");
const later = (minutes: number) => new Date(at.getTime() + minutes * 60_000);
const integration = { suspended: null, updatedAt: new Date(0) };
const circuit = { _id: "a/1", failures: 7, openUntil: at, reason: "no answer" };
const failed = (minutes: number, since = 0): IntegrationResult => ({
  ...{ lastSent: { at: later(-1), messageId: "msg_1" }, failingSince: later(since) },
  lastFailed: { at: later(minutes), messageId: "msg_2", reason: "451 not now" },
  ...{ attempts: 9, sent: 3 },
});

function stateOf(changes: Partial<IntegrationInput>) {
  const input = { integration, circuit: null, result: undefined, waiting: 0, ...changes };
  return Object.values(integrationStateOf(input));
}

test("integrationStateOf() returns what stops an integration before what slows it", () => {
  const suspended = { at, reason: "wrong login" };
  const result = failed(60);
  const all = { circuit, result, waiting: 1 };
  assert.deepEqual(
    stateOf({ ...all, integration: { ...integration, suspended } }),
    ["suspended", "Wrong login"],
  );
  const paused = { ...integration, suspended: { ...suspended, kind: "person" as const } };
  assert.equal(stateOf({ ...all, integration: paused })[0], "paused");
  assert.deepEqual(stateOf(all), ["unreachable", "no answer"]);
  assert.deepEqual(stateOf({ ...all, circuit: { ...circuit, openUntil: null } }), [
    ...["failing", "451 not now"],
  ]);
  assert.deepEqual(stateOf({ circuit: { ...circuit, openUntil: null } }), ["slow", "no answer"]);
  assert.equal(stateOf({ waiting: 1 })[0], "slow");
  assert.deepEqual(stateOf({}), ["ready", null]);
});

test("integrationStateOf() returns `failing` after 10 minutes of failures, and not after one", () => {
  assert.equal(stateOf({ result: failed(0) })[0], "ready", "one mail may be to blame");
  assert.equal(stateOf({ result: failed(9) })[0], "ready");
  assert.equal(stateOf({ result: failed(10) })[0], "failing");
  assert.equal(stateOf({ result: { ...failed(10), failingSince: null } })[0], "ready");
  const changed = { ...integration, updatedAt: later(11) };
  assert.equal(stateOf({ result: failed(10), integration: changed })[0], "ready");
});

test("integrationStateOf() returns `failing` while a refused login waits for its second try", () => {
  const refused = { ...circuit, failures: 0, loginRefusedAt: at, reason: "Wrong password" };
  assert.deepEqual(stateOf({ circuit: refused }), [
    ...["failing", "The integration pauses for a minute: Wrong password"],
  ]);
});
