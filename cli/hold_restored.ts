import { setTimeout as delay } from "node:timers/promises";
import type { Bus, StatusEvent } from "@posthaste/messaging";
import type { KnownOutcome, StorePart } from "@posthaste/storage";
import { CommandError } from "./command_error.ts";
import { EXIT } from "./exit_code.ts";
import { formatCount } from "./format.ts";

/** The restored ledger and the time of its backup. */
export interface Restoration {
  store: StorePart<
    "restored.noteKnownOutcomes" | "restored.holdUnfinished" | "sends.heads" | "mailers.live"
  >;
  bus: Pick<Bus, "check" | "emptyQueues" | "pastStatusEvents" | "forgetRenewals">;
  /** When the backup was begun. */
  backupAt: Date;
  /** When the last mailer stopped. */
  lostAt: Date;
  onProgress(text: string): void;
}

/** The result of holding. */
export interface Held {
  held: number;
  /** Number of events removed from the broker's queues. */
  emptied: number;
  /** Held messages whose outcome was found in status events. */
  known: number;
  /** Sends accepted after the backup according to status events, and not in the ledger. */
  missing: { sendId: string; accountId: string; at: string }[];
}

/** A mailer announces itself every 2 s: a restored ledger may contain one that is gone. */
const LIVE_MS = 8000;
const SECOND_LOOK_MS = 4000;
const ALIVE_MS = 3000;

const BATCH_SIZE = 500;

/**
 * Holds the messages that are unfinished in a restored ledger, and writes the outcomes in the broker's status
 * events into it.
 *
 * @throws {CommandError} If a mailer runs: it might send a message while it is held.
 * @throws {MissingStreamsError} If the broker has not been set up; nothing is held then.
 */
export async function holdRestored(restoration: Restoration): Promise<Held> {
  const { store, bus, backupAt, lostAt, onProgress } = restoration;
  await bus.check();
  await refuseIfRunning(store);
  // First: these events are newer than the ledger.
  const emptied = await bus.emptyQueues();
  let held = 0;
  for await (const total of store.restored.holdUnfinished({ now: new Date(), lostAt })) {
    held = total;
    onProgress(`${formatCount(held, "message")} held so far`);
  }
  const { known, missing } = await readStatusEvents(restoration, backupAt);
  // Last: a tracker refuses this ledger until then.
  await bus.forgetRenewals();
  return { held, emptied, known, missing };
}

async function refuseIfRunning(store: Restoration["store"]): Promise<void> {
  if ((await store.mailers.live(LIVE_MS)).length === 0) return;
  await delay(SECOND_LOOK_MS);
  const live = await store.mailers.live(ALIVE_MS);
  if (live.length === 0) return;
  throw new CommandError(
    `Cannot hold: ${formatCount(live.length, "mailer")} still running`,
    { exitCode: EXIT.refused, remedy: "stop every service, and try again" },
  );
}

async function readStatusEvents({ store, bus }: Restoration, since: Date) {
  let known = 0;
  const missing: Held["missing"] = [];
  let batch: StatusEvent[] = [];
  const flush = async () => {
    const statusEvents = batch;
    batch = [];
    known += await store.restored.noteKnownOutcomes(statusEvents.flatMap(outcomeOf));
    missing.push(...await missingOf(statusEvents, store));
  };
  const types = ["status.send.accepted", "status.message.sent", "status.message.failed"] as const;
  for await (const statusEvent of bus.pastStatusEvents({ since, types })) {
    batch.push(statusEvent);
    if (batch.length === BATCH_SIZE) await flush();
  }
  await flush();
  return { known, missing };
}

function outcomeOf({ type, data }: StatusEvent): KnownOutcome[] {
  if (type !== "status.message.sent" && type !== "status.message.failed") return [];
  const { accountId, messageId, attempt, reply } = data;
  const shared = { accountId, messageId, attempt, at: new Date(data.at), reply };
  return [
    type === "status.message.sent"
      ? { ...shared, outcome: "sent" }
      : { ...shared, outcome: "failed", reason: data.reason },
  ];
}

async function missingOf(
  statusEvents: StatusEvent[],
  store: Restoration["store"],
): Promise<Held["missing"]> {
  const accepted = statusEvents.flatMap(({ type, data }) =>
    type === "status.send.accepted" ? [data] : []
  );
  if (accepted.length === 0) return [];
  const heads = await store.sends.heads(accepted.map(({ sendId }) => sendId));
  const there = new Set(heads.map(({ _id }) => _id));
  return accepted.filter(({ sendId }) => !there.has(sendId))
    .map(({ sendId, accountId, at }) => ({ sendId, accountId, at }));
}
