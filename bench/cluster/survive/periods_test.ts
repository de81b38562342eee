import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClientLine, SinkLine } from "@posthaste/chaos";
import { periodsOf } from "./periods.ts";

const mailAt = (at: number, taken = true) => ({ type: "mail", at, taken }) as SinkLine;
const answer = (at: number, status: number, ms: number): ClientLine => ({
  ...{ type: "answer", key: "k", at, status, ms },
});

test("periodsOf() returns for each step what was accepted, refused and sent until the next", () => {
  const steps = [1000, 2000, 3000].map((at) => ({ at, what: `step at ${at}` }));
  const periods = periodsOf(steps, {
    client: [
      answer(1500, 200, 9),
      answer(1600, 400, 4),
      answer(2500, 503, 1900),
      { type: "no_answer", key: "k", at: 2600, ms: 7, reason: "reset" },
      answer(3500, 200, 1),
    ],
    sink: [mailAt(900), mailAt(1300), mailAt(1400, false), mailAt(2700), mailAt(3100)],
  });
  assert.deepEqual(periods, [
    {
      ...{ what: "step at 1000", atMs: 0, lastsMs: 1000, accepted: 2, refused: 0, slowestMs: 9 },
      ...{ mails: 1, pauseMs: 700 },
    },
    {
      ...{ what: "step at 2000", atMs: 1000, lastsMs: 1000, accepted: 0, refused: 2 },
      ...{ slowestMs: 1900, mails: 1, pauseMs: 1400 },
    },
  ]);
});
