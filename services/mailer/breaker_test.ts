import assert from "node:assert/strict";
import { test } from "node:test";
import { isReached, isSilent, isUnreachable } from "./breaker.ts";

test("isUnreachable() is true for failures before the server accepts commands", () => {
  const cases = [
    ["connect", "refused", true],
    ["connect", "dns", true],
    ["greeting", "timeout", true],
    ["ehlo", "lost", true],
    ["greeting", "reply", true],
    ["tls", "certificate", true],
    ["connect", "host", false],
    ["connect", "aborted", false],
    ["auth", "reply", false],
    ["mail", "lost", false],
    ["dot", "stalled", false],
    ["body", "held", false],
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

test("isReached() is true for a server that answered without being asked for a login", () => {
  const cases = [
    ["rcpt", "reply", true],
    ["dot", "lost", true],
    ["body", "held", true],
    ["auth", "reply", false],
    ["connect", "refused", false],
    ["ehlo", "timeout", false],
    // It was not asked.
    ["connect", "host", false],
    ["connect", "bad_ca", false],
  ] as const;
  for (const [phase, fault, expected] of cases) {
    assert.equal(isReached({ phase }), expected, `${phase} ${fault}`);
  }
});
