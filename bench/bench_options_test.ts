import { deepEqual, equal, throws } from "node:assert/strict";
import { test } from "node:test";
import { FIGURES, readOptions } from "./bench_options.ts";

test("readOptions() measures everything but what takes long three times by default", () => {
  deepEqual(readOptions([]), {
    figures: FIGURES.filter((name) => !["telemetry", "idle", "queue", "fairness"].includes(name)),
    rounds: 3,
    scale: 1,
    profileDir: undefined,
    scenario: "",
  });
});

test("readOptions() keeps the order of the figures, and one round for a quick run", () => {
  const options = readOptions(["--quick", "--only", "render,single"]);
  deepEqual(options?.figures, ["single", "render"]);
  equal(options?.rounds, 1);
});

test("readOptions() refuses a figure that it does not know", () => {
  throws(() => readOptions(["--only", "fast"]), /Cannot measure "fast"/);
  throws(() => readOptions(["--rounds", "0"]), RangeError);
});
