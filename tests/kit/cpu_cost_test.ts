import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { cpuRatio, cpuTimeOf } from "./cpu_cost.ts";

function spin(rounds: number): () => number {
  return () => {
    let sum = 0;
    for (let round = 0; round < rounds; round++) sum += Math.sqrt(round);
    return sum;
  };
}

function nested(rounds: number): () => number {
  return () => {
    let sum = 0;
    for (let outer = 0; outer < rounds; outer++) {
      for (let inner = 0; inner < rounds; inner++) sum += Math.sqrt(inner);
    }
    return sum;
  };
}

test("cpuRatio() is about 4 for four times the work, and about 16 if it is quadratic", async () => {
  const linear = await cpuRatio(spin(4_000_000), spin(1_000_000));
  assert.ok(linear > 2 && linear < 8, `${linear}`);
  const quadratic = await cpuRatio(nested(4000), nested(1000));
  assert.ok(quadratic > 8 && quadratic < 32, `${quadratic}`);
});

test("cpuRatio() measures work that is too short for the clock", async () => {
  const ratio = await cpuRatio(spin(20_000), spin(5_000));
  assert.ok(ratio > 1.5 && ratio < 12, `${ratio}`);
});

test("cpuTimeOf() counts the work of promises, and not the time they wait", async () => {
  const work = spin(8_000_000);
  const waiting = async () => {
    await delay(100);
    return work();
  };
  assert.ok(await cpuTimeOf(work, { runs: 3 }) > 0);
  const ratio = await cpuRatio(waiting, work, { runs: 3 });
  assert.ok(ratio > 0.5 && ratio < 2, `${ratio}`);
});

test("cpuRatio() measures the work until it is below what the test demands, and the reference in every run", async () => {
  const counts = { work: 0, reference: 0 };
  const count = (name: keyof typeof counts, work: () => unknown) => () => {
    counts[name]++;
    return work();
  };
  const cost = spin(8_000_000);
  const run = (below: number) =>
    cpuRatio(count("work", cost), count("reference", cost), { runs: 3, below });
  assert.ok(await run(100) < 100);
  assert.equal(counts.work, 1);
  assert.ok(counts.reference >= 4);
  // What is never below counts as if nothing was demanded.
  counts.work = 0;
  assert.ok(await run(0.001) > 0.1);
  assert.ok(counts.work >= 4);
});
