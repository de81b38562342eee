import type { StatusEvent } from "@posthaste/messaging";
import {
  type Counted,
  COUNTED_ATTEMPTS,
  STATISTICS_BUCKET_MS,
  type StatisticsNote,
  type StorePart,
} from "@posthaste/storage";
import { count } from "@posthaste/telemetry";
import { resultsOf } from "./note_results.ts";

const COUNTED_AS: Partial<Record<StatusEvent["type"], Counted>> = {
  "status.send.accepted": "accepted",
  "status.message.sent": "sent",
  "status.message.failed": "failed",
  "status.message.deferred": "deferred",
  "status.message.unknown": "unknown",
  "status.message.suppressed": "suppressed",
};

/**
 * Adds status events to the statistics of their accounts and to the results of integrations, with one command
 * each.
 */
export async function recordStatistics(
  statusEvents: StatusEvent[],
  { statistics: { note: noteStatistics }, integrations: { noteResults } }:
    & StorePart<"statistics.note">
    & StorePart<"integrations.noteResults">,
): Promise<void> {
  await Promise.all([noteStatistics(sumUp(statusEvents)), noteResults(resultsOf(statusEvents))]);
  countStates(statusEvents);
}

/** Each status event is in one process only, so the sum over all processes is that of the system. */
function countStates(statusEvents: StatusEvent[]): void {
  const counts = new Map<string, { state: string; stage: string | undefined; messages: number }>();
  for (const { type, data } of statusEvents) {
    const state = COUNTED_AS[type];
    if (state === undefined) continue;
    const stage = "stage" in data ? data.stage : undefined;
    const key = `${state} ${stage}`;
    const messages = "recipients" in data ? data.recipients ?? 1 : 1;
    counts.set(key, { state, stage, messages: (counts.get(key)?.messages ?? 0) + messages });
  }
  for (const { state, stage, messages } of counts.values()) {
    count("posthaste.message.states", messages, {
      "posthaste.state": state,
      "posthaste.stage": stage,
    });
  }
}

/** Returns the sums of status events by account and bucket of time. */
export function sumUp(statusEvents: StatusEvent[]): StatisticsNote[] {
  const notes = new Map<string, StatisticsNote>();
  const sends = new Map<StatisticsNote, Set<string>>();
  const sendsOf = (note: StatisticsNote) => {
    const known = sends.get(note) ?? new Set();
    sends.set(note, known);
    return known;
  };
  for (const { type, data } of statusEvents) {
    const counted = COUNTED_AS[type];
    if (counted === undefined) continue;
    const bucket = Math.floor(Date.parse(data.at) / STATISTICS_BUCKET_MS);
    const key = `${data.accountId}/${bucket}`;
    let note = notes.get(key);
    if (note === undefined) {
      note = { accountId: data.accountId, at: new Date(bucket * STATISTICS_BUCKET_MS) };
      notes.set(key, note);
    }
    note[counted] = (note[counted] ?? 0) + ("recipients" in data ? data.recipients ?? 1 : 1);
    if (type !== "status.send.accepted") sendsOf(note).add(data.sendId);
    const attempted = COUNTED_ATTEMPTS.find((name) => name === counted);
    if (attempted === undefined || !("integrationId" in data) || !data.integrationId) continue;
    note.integrations ??= {};
    const attempts = note.integrations[data.integrationId] ??= {};
    attempts[attempted] = (attempts[attempted] ?? 0) + 1;
  }
  return [...notes.values()].map((note) => {
    const ids = sends.get(note);
    return ids === undefined ? note : { ...note, sends: [...ids] };
  });
}
