import assert from "node:assert/strict";
import { test } from "node:test";
import { isSilent, isUnreachable, pauseMs } from "./breaker.ts";

test("pauseMs() leaves a server alone from the fifth failure on, twice as long each time", () => {
  const seconds = [1, 4, 5, 6, 7, 9, 10, 50].map((failures) => pauseMs(failures) / 1000);
  assert.deepEqual(seconds, [0, 0, 30, 60, 120, 480, 600, 600]);
});

test("isUnreachable() is true for what happens before the server takes commands", () => {
  const cases = [
    ["connect", "refused", true],
    ["connect", "dns", true],
    ["greeting", "timeout", true],
    ["ehlo", "lost", true],
    ["greeting", "reply", true],
    ["tls", "certificate", true],
    ["connect", "host", false],
    ["connect", "closed", false],
    ["connect", "aborted", false],
    ["auth", "reply", false],
    ["mail", "lost", false],
    ["dot", "stalled", false],
    ["body", "gate", false],
  ] as const;
  for (const [phase, fault, expected] of cases) {
    assert.equal(isUnreachable({ phase, fault }), expected, `${phase} ${fault}`);
  }
});

test("isSilent() is true for a server that has the whole mail and does not answer", () => {
  const cases = [
    ["dot", "timeout", true],
    ["dot", "stalled", true],
    ["dot", "lost", false],
    ["dot", "reply", false],
    ["dot", "aborted", false],
    ["body", "stalled", false],
  ] as const;
  for (const [phase, fault, expected] of cases) {
    assert.equal(isSilent({ phase, fault }), expected, `${phase} ${fault}`);
  }
});
