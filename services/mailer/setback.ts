import type { SmtpReply } from "@posthaste/contracts";
import { type AfterUnknown, afterUnknown, type AttemptPolicy, retryAt } from "@posthaste/delivery";
import type { SmtpVerdict } from "./smtp_verdict.ts";

/** Outcome of a message after an attempt that failed. */
export type Setback =
  | Deferral
  | { state: "failed"; reason: string; reply?: SmtpReply; isUnknown?: boolean }
  | { state: "unknown"; reason: string; isUnknown: true };

/** It is retried: at a time, or when its integration (`_id`) has capacity. */
export type Deferral =
  & {
    state: "deferred";
    reason: string;
    reply?: SmtpReply;
    isUnknown?: boolean;
    /** The integration whose server was certainly not offered the mail. */
    unreached?: number;
  }
  & ({ nextAt: Date } | { waitsFor: string });

/** When and how often it was tried. */
export interface AttemptTimes {
  /** Number of the attempt that ended, from 1. */
  attempt: number;
  acceptedAt: Date;
  now: Date;
  /** Whether its integration takes no mail now: then the scheduler decides when the message has waited too long. */
  isStopped?: boolean;
  /** Returns 0 to 1. @default {Math.random} */
  random?: () => number;
}

/** Wait before the next attempt. */
export interface Waits {
  /** The first wait, in milliseconds. The others are multiples of it. */
  retryMs: number;
  /** Time for which a server may still process a mail that it did not confirm, in milliseconds. */
  replyMs: number;
}

/** Decides the outcome of a message from an SMTP verdict and the policy of the attempt. */
export function setbackOf(
  verdict: SmtpVerdict,
  policy: AttemptPolicy,
  when: AttemptTimes & Waits,
): Setback {
  const { retryMs, replyMs, isStopped = false, ...times } = when;
  const attempt = { ...times, firstMs: retryMs };
  const reply = replyOf(verdict);
  const reported = { reason: verdict.reason, ...(reply === undefined ? {} : { reply }) };
  if (verdict.kind === "fail") return { state: "failed", ...reported };
  if (verdict.kind === "unknown") {
    const after = afterUnknown({ ...attempt, ...policy, busyMs: replyMs });
    return unknownSetback(after, reported);
  }
  const nextAt = retryAt({ ...attempt, giveUpAfterMs: policy.retryForMs }) ??
    (isStopped ? when.now : null);
  if (nextAt === null) {
    return { state: "failed", ...reported, reason: `${verdict.reason}; retries ended` };
  }
  return { state: "deferred", ...reported, nextAt };
}

function unknownSetback(
  after: AfterUnknown,
  reported: { reason: string; reply?: SmtpReply },
): Setback {
  switch (after.state) {
    case "unknown":
      return { state: "unknown", reason: reported.reason, isUnknown: true };
    case "deferred":
      return { state: "deferred", ...reported, isUnknown: true, nextAt: after.nextAt };
    case "failed":
      return {
        state: "failed",
        ...reported,
        reason: `${reported.reason}; retries ended`,
        isUnknown: true,
      };
  }
}

function replyOf({ code, enhanced, response }: SmtpVerdict): SmtpReply | undefined {
  if (code === undefined && response === undefined) return undefined;
  return {
    ...(code === undefined ? {} : { code }),
    ...(enhanced === undefined ? {} : { enhanced }),
    ...(response === undefined ? {} : { response }),
  };
}
