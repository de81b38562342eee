import assert from "node:assert/strict";
import { test } from "node:test";
import { SmtpFailure, type SmtpFault, type SmtpPhase } from "./smtp_failure.ts";
import { judgeSmtpFailure, type SmtpVerdict } from "./smtp_verdict.ts";

function replied(phase: SmtpPhase, response: string): SmtpVerdict {
  return judgeSmtpFailure(new SmtpFailure("x", { phase, fault: "reply", response }));
}

function faulted(phase: SmtpPhase, fault: SmtpFault): SmtpVerdict {
  return judgeSmtpFailure(new SmtpFailure("x", { phase, fault }));
}

const replies: [SmtpPhase, string, SmtpVerdict["kind"]][] = [
  ["greeting", "421 busy", "defer"],
  ["greeting", "554 no service here", "defer"],
  ["ehlo", "550 who are you", "defer"],
  ["tls", "502 no STARTTLS", "defer"],
  ["auth", "535 5.7.8 wrong", "login_refused"],
  ["auth", "534 5.7.9 too weak", "login_refused"],
  ["auth", "550 no", "login_refused"],
  ["auth", "538 Encryption required", "suspend_integration"],
  ["auth", "538 5.7.11 Encryption required", "suspend_integration"],
  ["auth", "535 5.7.11 Encryption required", "suspend_integration"],
  ["auth", "530 5.7.0 Must issue STARTTLS first", "suspend_integration"],
  ["auth", "530 Must issue STARTTLS first", "suspend_integration"],
  ["auth", "530 5.7.3 not authenticated", "login_refused"],
  ["auth", "504 5.7.4 mechanism too weak", "login_refused"],
  ["auth", "503 already", "defer"],
  ["auth", "504 mechanism", "defer"],
  ["auth", "504 5.5.4 mechanism", "defer"],
  ["auth", "454 4.7.0 later", "defer"],
  ["auth", "421 4.7.0 too many logins", "defer"],
  ["mail", "451 4.7.1 greylisted", "defer"],
  ["mail", "421 4.4.2 timeout", "defer"],
  ["mail", "503 sequence", "defer"],
  ["mail", "530 5.7.0 Must issue STARTTLS first", "suspend_integration"],
  ["mail", "550 5.7.1 sender not yours", "fail"],
  ["mail", "552 5.3.4 too big", "fail"],
  ["rcpt", "450 4.2.0 greylisted", "defer"],
  ["rcpt", "550 5.1.1 no such user", "fail"],
  ["rcpt", "552 too many recipients", "defer"],
  ["rcpt", "552 5.5.3 too many recipients", "defer"],
  ["rcpt", "552 5.2.2 mailbox full", "fail"],
  ["rcpt", "530 not here", "fail"],
  ["rcpt", "530 5.7.1 relaying denied", "fail"],
  ["rcpt", "530 5.7.0 Authentication required", "suspend_integration"],
  ["rcpt", "553 5.1.3 syntax", "fail"],
  ["data", "451 4.3.0 disk", "defer"],
  ["data", "554 5.6.0 no", "fail"],
  ["body", "421 4.3.2 shutting down", "defer"],
  ["body", "552 5.3.4 too big", "fail"],
  ["dot", "452 4.3.1 full", "defer"],
  ["dot", "421 4.3.2 shutting down", "defer"],
  ["dot", "554 5.7.1 spam", "fail"],
  ["dot", "354 what", "unknown"],
];

for (const [phase, response, kind] of replies) {
  test(`judgeSmtpFailure() returns ${kind} for ${response} at ${phase}`, () => {
    assert.equal(replied(phase, response).kind, kind);
  });
}

test("judgeSmtpFailure() passes the reply on", () => {
  assert.deepEqual(replied("rcpt", "550 5.1.1 no such user"), {
    kind: "fail",
    reason: "The SMTP server refused the recipient address",
    code: 550,
    enhanced: "5.1.1",
    response: "550 5.1.1 no such user",
  });
});

test("judgeSmtpFailure() returns unknown when the dot was sent and no answer came", () => {
  for (const fault of ["lost", "timeout", "stalled", "aborted"] as const) {
    assert.equal(faulted("dot", fault).kind, "unknown");
    assert.equal(faulted("body", fault).kind, "defer");
  }
});

test("judgeSmtpFailure() defers connection and certificate faults", () => {
  for (const fault of ["dns", "refused", "timeout", "certificate", "tls"] as const) {
    assert.equal(faulted("connect", fault).kind, "defer");
  }
});

test("judgeSmtpFailure() fails mail that this server will never accept", () => {
  assert.equal(faulted("mail", "no_smtputf8").kind, "fail");
  assert.equal(faulted("mail", "too_large").kind, "fail");
});

test("judgeSmtpFailure() suspends an integration that would log in without encryption", () => {
  assert.equal(faulted("auth", "insecure_auth").kind, "suspend_integration");
});

test("judgeSmtpFailure() suspends an integration whose host or authority cannot be right", () => {
  for (const fault of ["host", "bad_ca"] as const) {
    assert.equal(faulted("connect", fault).kind, "suspend_integration");
  }
});

test("judgeSmtpFailure() reveals nothing found before a successful login", () => {
  const banner = "SSH-2.0-OpenSSH_9.2 554 5.0.0 internal.corp";
  const unreachable = [
    ...(["refused", "timeout", "lost", "stalled"] as const).flatMap((fault) =>
      (["connect", "greeting", "ehlo"] as const).map((phase) => faulted(phase, fault))
    ),
    replied("greeting", "554 5.0.0 internal.corp"),
    replied("ehlo", "421 4.3.2 internal.corp"),
    replied("greeting", banner),
  ];
  for (const verdict of unreachable) {
    assert.deepEqual(verdict, {
      kind: "defer",
      reason: "The SMTP server does not answer, or accepts no mail at the moment",
    });
  }
  assert.deepEqual(Object.keys(replied("tls", "502 5.5.1 internal.corp")), ["kind", "reason"]);
  const { response, code } = replied("auth", "535 5.7.8 no such user in internal.corp");
  assert.deepEqual([response, code], [undefined, 535]);
});
