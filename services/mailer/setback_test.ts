import assert from "node:assert/strict";
import { test } from "node:test";
import { setbackOf } from "./setback.ts";
import type { SmtpVerdict } from "./smtp_verdict.ts";

const HOUR = 3_600_000;
const ACCEPTED = new Date("2026-03-01T10:00:00Z");
const RETRY = { retryForMs: 48 * HOUR, whenUnknown: "retry" as const };
const HOLD = { ...RETRY, whenUnknown: "hold" as const };

function verdictOf(kind: SmtpVerdict["kind"]): SmtpVerdict {
  return { kind, reason: "So it is", code: 451, enhanced: "4.7.1", response: "451 4.7.1 later" };
}

function after(ms: number, attempt = 1) {
  const now = new Date(ACCEPTED.getTime() + ms);
  const waits = { retryMs: 60_000, replyMs: 600_000 };
  return { attempt, acceptedAt: ACCEPTED, now, random: () => 0.5, ...waits };
}

const REPLY = { code: 451, enhanced: "4.7.1", response: "451 4.7.1 later" };

test("setbackOf() defers a temporary failure, with the server's text and the next time", () => {
  for (const kind of ["defer", "login_refused", "suspend_integration"] as const) {
    assert.deepEqual(setbackOf(verdictOf(kind), RETRY, after(1000)), {
      state: "deferred",
      reason: "So it is",
      reply: REPLY,
      nextAt: new Date(ACCEPTED.getTime() + 61_000),
    });
  }
});

test("setbackOf() fails a permanent failure immediately", () => {
  for (const policy of [RETRY, HOLD]) {
    assert.deepEqual(setbackOf(verdictOf("fail"), policy, after(0)), {
      state: "failed",
      reason: "So it is",
      reply: REPLY,
    });
  }
});

test("setbackOf() fails a temporary failure after the integration's time is over", () => {
  for (const kind of ["defer", "login_refused", "suspend_integration", "unknown"] as const) {
    assert.deepEqual(setbackOf(verdictOf(kind), RETRY, after(48 * HOUR, 18)), {
      state: "failed",
      reason: "So it is; retries ended",
      reply: REPLY,
      ...(kind === "unknown" ? { isUnknown: true } : {}),
    });
  }
  const short = { ...RETRY, retryForMs: HOUR };
  assert.equal(setbackOf(verdictOf("defer"), short, after(HOUR)).state, "failed");
  assert.equal(setbackOf(verdictOf("defer"), short, after(HOUR - 1)).state, "deferred");
});

test("setbackOf() defers what its integration took not, however old it is: the scheduler decides", () => {
  const now = new Date(ACCEPTED.getTime() + 50 * HOUR);
  for (const kind of ["defer", "login_refused", "suspend_integration"] as const) {
    assert.deepEqual(
      setbackOf(verdictOf(kind), RETRY, { ...after(50 * HOUR, 18), isStopped: true }),
      {
        ...{ state: "deferred", reason: "So it is", reply: REPLY, nextAt: now },
      },
    );
  }
  const refused = setbackOf(verdictOf("fail"), RETRY, { ...after(HOUR), isStopped: true });
  assert.equal(refused.state, "failed");
});

test("setbackOf() holds an unknown outcome for a person if the integration requires it", () => {
  for (const ms of [0, 48 * HOUR]) {
    assert.deepEqual(setbackOf(verdictOf("unknown"), HOLD, after(ms)), {
      state: "unknown",
      reason: "So it is",
      isUnknown: true,
    });
  }
});

test("setbackOf() waits for the reply that may still come before it repeats an unknown outcome", () => {
  const nextAfter = (attempt: number) => {
    const setback = setbackOf(verdictOf("unknown"), RETRY, after(0, attempt));
    assert.equal(setback.state, "deferred");
    return "nextAt" in setback && setback.nextAt.getTime() - ACCEPTED.getTime();
  };
  assert.deepEqual([1, 2, 3].map(nextAfter), [600_000, 600_000, 900_000]);
});

test("setbackOf() returns no reply if the server sent none", () => {
  const silent: SmtpVerdict = { kind: "defer", reason: "No answer" };
  const setback = setbackOf(silent, RETRY, after(0));
  assert.ok(!("reply" in setback));
});
