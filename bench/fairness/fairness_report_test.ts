import { equal, match } from "node:assert/strict";
import { test } from "node:test";
import { ratioOf, writeFairnessReport } from "./fairness_report.ts";

const round = (p99: number) => ({ p50: p99 / 2, p99, mails: 100, missing: 1, foreign: 0.125 });
const RESULT = {
  scenario: "noise",
  alone: [round(90), round(10), round(20)],
  beside: [round(40), round(900), round(50)],
  queued: 1000,
  arrived: 3,
};

test("ratioOf() divides the medians of the rounds, which one bad round does not move", () => {
  equal(ratioOf(RESULT), 2.5);
});

test("writeFairnessReport() shows each round, and what did not arrive", () => {
  match(
    writeFairnessReport([RESULT]),
    /\| noise \| 10 \| 25 \| 20 \| 50 \| 40, 900, 50 \| 2\.5 \| 3 \| 13 13 13 13 13 13 \|/,
  );
});
