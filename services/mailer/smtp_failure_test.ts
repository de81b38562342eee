import assert from "node:assert/strict";
import { test } from "node:test";
import { parseReply, SmtpError } from "@posthaste/smtp";
import { errorType } from "@posthaste/telemetry";
import { failureOf, isReached, isSilent, isUnreachable, SmtpFailure } from "./smtp_failure.ts";

const server = { host: "mail.example.com", auth: null, tls: "none" as const };

test("failureOf() keeps the phase, the reply and whether the mail may have arrived", () => {
  const reply = parseReply("354 what");
  const error = new SmtpError("354 what", { phase: "dot", fault: "reply", reply });
  const failure = failureOf(error, server);
  assert.deepEqual([failure.phase, failure.fault, failure.code, failure.unknown], [
    ...["dot", "reply", 354],
    error.mayHaveSent,
  ]);
  assert.equal(failure.message, 'Cannot send through "mail.example.com": 354 what');
});

test("failureOf() returns for each failure a type of the closed list for metrics and spans", () => {
  const typeOf = (text: string, phase: "auth" | "rcpt") => {
    const reply = parseReply(text);
    return errorType(failureOf(new SmtpError(text, { phase, fault: "reply", reply }), server));
  };
  assert.equal(typeOf("535 5.7.8 wrong", "auth"), "smtp_auth");
  assert.equal(typeOf("451 4.7.1 later", "rcpt"), "smtp_4xx");
  assert.equal(typeOf("550 5.1.1 nobody", "rcpt"), "smtp_5xx");
  const faults = [
    ["lost", "unavailable"],
    ["stalled", "timeout"],
    ["certificate", "tls"],
    ["aborted", "canceled"],
    ["too_large", "too_large"],
  ] as const;
  for (const [fault, type] of faults) {
    assert.equal(errorType(new SmtpFailure("x", { phase: "mail", fault })), type);
  }
  const cause = Object.assign(new Error("full"), { code: "ENOSPC" });
  const held = new SmtpError("x", { phase: "body", fault: "held", cause });
  assert.equal(errorType(failureOf(held, server)), "disk_full");
});

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
