import type { Fill, QueueState, StreamState } from "@posthaste/messaging";
import type { LedgerState } from "@posthaste/storage";
import { formatCount, formatSpan, formatTime } from "./format.ts";
import type { UnreachableIntegration } from "./unreachable_integrations.ts";

/** The input of `judge()`. */
export interface SystemState {
  now: Date;
  ledger: LedgerState;
  queues: QueueState[];
  streams: ReadonlyMap<string, StreamState>;
  fills: Fill[];
  unreachable: UnreachableIntegration[];
  /** The time until which the ledger should know what happened, if it does not: then it was restored. */
  lacksUntil: Date | null;
}

/** The thresholds of alarms. */
export interface Limits {
  /** Of queues and disks, from 0 to 1. */
  fill: number;
  waitMs: number;
  lateMs: number;
}

/** One checked aspect. */
export interface Finding {
  verdict: "ok" | "WRONG";
  what: string;
  is: string;
}

/** Streams in which mail waits to be worked on; status events are a log. */
const WORKED_ON = new Set(["RENDER", "PRINT", "MAIL"]);

/** Judges the whole system: each finding is a line for people, and an alarm if it is wrong. */
export function judge(state: SystemState, limits: Limits): Finding[] {
  const { ledger } = state;
  const late = ledger.reconcilerLateMs > limits.lateMs;
  return [
    ...queueFindings(state, limits),
    ...state.fills.map((fill) => fillFinding(fill, limits)),
    finding(
      late,
      "reconciler",
      ledger.unsettled === 0
        ? "nothing to check"
        : late
        ? `${formatSpan(ledger.reconcilerLateMs)} late: check that a tracker runs`
        : `in time, ${formatCount(ledger.unsettled, "unfinished send")}`,
    ),
    ageFinding(state),
    finding(false, "waiting", formatCount(ledger.waiting, "message")),
    ...diskFinding(ledger, limits),
    ...suspensionFindings(ledger),
    ...unreachableFindings(state, limits),
  ];
}

function finding(isWrong: boolean, what: string, is: string): Finding {
  return { verdict: isWrong ? "WRONG" : "ok", what, is };
}

function queueFindings({ queues, streams, now }: SystemState, { waitMs }: Limits): Finding[] {
  return queues.map(({ consumer, stream, waiting, inFlight }) => {
    const oldestAt = streams.get(stream)?.oldestAt ?? now;
    const ageMs = waiting + inFlight === 0 ? 0 : now.getTime() - oldestAt.getTime();
    const isWrong = WORKED_ON.has(stream) && ageMs > waitMs;
    const age = ageMs > 0 && WORKED_ON.has(stream) ? `, the oldest for ${formatSpan(ageMs)}` : "";
    return finding(isWrong, `queue ${consumer}`, `${waiting} waiting, ${inFlight} in flight${age}`);
  });
}

function fillFinding({ name, kind, bytes, maxBytes }: Fill, limits: Limits): Finding {
  const share = maxBytes > 0 ? bytes / maxBytes : 0;
  const isWrong = kind === "queue" && share > limits.fill;
  return finding(
    isWrong,
    `storage of ${name}`,
    `${percent(share)} of ${formatBytes(maxBytes)} used`,
  );
}

function ageFinding({ lacksUntil }: SystemState): Finding {
  if (lacksUntil === null) return finding(false, "age of the ledger", "current");
  return finding(
    true,
    "age of the ledger",
    `it lacks what happened until ${lacksUntil.toISOString()}: if it was restored, stop every service ` +
      `and run "posthaste restored hold"`,
  );
}

function diskFinding({ disk }: LedgerState, limits: Limits): Finding[] {
  if (disk === null || disk.size === 0) return [];
  const share = disk.used / disk.size;
  const is = `${percent(share)} of ${formatBytes(disk.size)} used`;
  return [finding(share > limits.fill, "disk of the ledger", is)];
}

function suspensionFindings({ suspended }: LedgerState): Finding[] {
  return suspended.map(({ accountId, id, name, kind, reason, at }) =>
    finding(
      kind !== "person",
      `integration ${accountId}/${id}`,
      `"${name}" is ${kind === "person" ? "paused" : "suspended"} since ${
        formatTime(at)
      }: ${reason}`,
    )
  );
}

/** A server that was away for a moment needs nobody. */
function unreachableFindings(
  { unreachable, now }: SystemState,
  { waitMs }: Limits,
): Finding[] {
  return unreachable.map(({ accountId, id, name, reason, since, waiting }) => {
    const isLong = since === null || now.getTime() - since.getTime() > waitMs;
    const start = since === null ? "" : ` since ${formatTime(since)}`;
    return finding(
      isLong,
      `integration ${accountId}/${id}`,
      `"${name}" is unreachable${start}, ${formatCount(waiting, "message")} waiting: ${reason}`,
    );
  });
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}

function formatBytes(bytes: number): string {
  const gibibytes = bytes / 1024 ** 3;
  return gibibytes >= 1 ? `${gibibytes.toFixed(1)} GiB` : `${(bytes / 1024 ** 2).toFixed(0)} MiB`;
}
