import { until } from "@posthaste/kit";
import { pauseMs } from "@posthaste/limits";
import type { CircuitFailure, IntegrationCircuit } from "@posthaste/storage";
import assert from "node:assert/strict";
import { test } from "node:test";
import { openCircuitStates } from "./circuit_states.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const FAILURE = { reason: "The SMTP server does not answer", error: new Error("timeout") };

/** Opens the circuit states of a mailer. `world.circuits` is what all mailers share. */
function open() {
  const world = {
    circuits: new Map<string, IntegrationCircuit>(),
    isAway: false,
    logged: [] as string[],
  };
  const answer = <T>(value: T) =>
    world.isAway ? Promise.reject(new Error("no ledger")) : Promise.resolve(value);
  const count = ({ id: _id, reason, now, pauseMs }: CircuitFailure) => {
    const before = world.circuits.get(_id);
    const failures = (before?.failures ?? 0) + 1;
    const pause = pauseMs(failures);
    const openUntil = pause === 0 ? null : new Date(now.getTime() + pause);
    const circuit = { _id, failures, reason, openUntil };
    world.circuits.set(_id, circuit);
    return { circuit, isOpened: openUntil !== null && before?.openUntil === null };
  };
  const log = (text: string) => void world.logged.push(text);
  const states = openCircuitStates({
    circuits: {
      list: () => answer([...world.circuits.values()]),
      countFailure: (failure) => answer(null).then(() => count(failure)),
      close: (id) => answer(undefined).then(() => void world.circuits.delete(id)),
    },
    pauseMs: (failures) => pauseMs(failures, 30_000),
    ...{ now: () => NOW, logger: { warn: log, info: log } },
  });
  return { states, world };
}

test("note() returns whether nothing is sent to the server for a while: from its fifth failure on", async () => {
  const { states, world } = open();
  const opened: boolean[] = [];
  for (let failure = 0; failure < 6; failure++) opened.push(await states.note("acc_1/4", FAILURE));
  assert.deepEqual(opened, [false, false, false, false, true, true]);
  assert.deepEqual(world.logged, ["An SMTP server cannot be reached, circuit opened"]);
});

test("clear() closes a circuit for all mailers, and asks nobody about a server that did not fail", async () => {
  const { states, world } = open();
  for (let failure = 0; failure < 5; failure++) await states.note("acc_1/4", FAILURE);
  await states.clear("acc_1/4");
  assert.deepEqual([states.circuitOf("acc_1/4"), world.circuits.size], [undefined, 0]);
  assert.equal(world.logged.at(-1), "An SMTP server is reachable again, circuit closed");
  world.isAway = true;
  await states.clear("acc_1/4");
  assert.equal(world.logged.length, 2);
});

test("the states of other mailers are followed, and a ledger that does not answer ends no mail", async () => {
  const { states, world } = open();
  const openUntil = new Date(NOW.getTime() + 30_000);
  const other = { _id: "acc_1/5", failures: 5, reason: "gone", openUntil };
  world.circuits.set(other._id, other);
  const ending = new AbortController();
  const following = states.follow(ending.signal);
  await until(() => states.circuitOf(other._id) !== undefined, { message: "the other's state" });
  ending.abort();
  await following;
  world.isAway = true;
  assert.equal(await states.note(other._id, FAILURE), true, "it is known to be away");
  assert.equal(await states.note("acc_1/6", FAILURE), false);
  await states.clear(other._id);
  assert.equal(new Set(world.logged).size, 1);
});
