import { settledEventId } from "@posthaste/contracts";
import type { StatusEvent } from "@posthaste/messaging";
import type {
  EventSubject,
  FinishedSend,
  NewEvent,
  StorePart,
  TimelinesOf,
} from "@posthaste/storage";
import {
  batchOf,
  eventIdOf,
  eventOf,
  type MessageOutcome,
  outcomesIn,
  outcomesOf,
} from "./message_outcomes.ts";

/** The dependencies of recording events. */
export type EventRecorderDeps =
  & StorePart<"events.record" | "events.recorded" | "events.subjects" | "events.timelines">
  & {
    /** How long events are kept, in milliseconds: older ones were recorded, and are removed by now. */
    eventsKeptMs: number;
    now(): Date;
  };

/** Records events in the feeds of accounts, each once. */
export interface EventRecorder {
  /** Records what status events report, and before it what is missing about earlier attempts. */
  recordOutcomes(statusEvents: readonly StatusEvent[]): Promise<void>;
  /** Records events that are in the timelines of messages and not in the feed: status events may be lost. */
  recordTimelines(of: TimelinesOf): Promise<void>;
  /**
   * Records that sends are settled.
   *
   * @param isRecorded Whether all events of the messages of a send are certainly in the feed.
   */
  recordSettled(
    sends: readonly FinishedSend[],
    isRecorded: (send: FinishedSend) => boolean,
  ): Promise<void>;
}

const BATCH_SIZE = 1000;

/** The sends that events are about, by their ids. */
type Subjects = ReadonlyMap<string, EventSubject>;

/** Which outcomes in timelines are recorded. */
interface Recorded {
  of: TimelinesOf;
  /** The sends, if they were looked up. */
  known?: Subjects;
  /** @default all outcomes */
  select?(outcome: MessageOutcome): boolean;
}

/** Opens the recorder. It may be used by several processes at the same time: the ids of events are derived. */
export function openEventRecorder(deps: EventRecorderDeps): EventRecorder {
  const {
    events: {
      record: recordEvents,
      recorded: recordedEvents,
      subjects: eventSubjects,
      timelines: messageTimelines,
    },
    now,
  } = deps;

  async function record(outcomes: readonly MessageOutcome[], known?: Subjects): Promise<void> {
    if (outcomes.length === 0) return;
    const subjects = known ?? await eventSubjects(outcomes.map(({ sendId }) => sendId));
    const events = outcomes.flatMap((outcome) => {
      const subject = subjects.get(outcome.sendId);
      return subject === undefined ? [] : [eventOf(outcome, subject)];
    });
    await write(events);
  }

  async function write(events: readonly NewEvent[]): Promise<void> {
    if (events.length > 0) await recordEvents(events);
  }

  async function recordOutcomes(reported: readonly MessageOutcome[]): Promise<void> {
    const outcomes = reported.toSorted((one, other) => one.attempt - other.attempt);
    const firsts = new Map(
      outcomes.toReversed().map(({ messageId, attempt }) => [messageId, attempt]),
    );
    const again = [...firsts].filter(([, attempt]) => attempt > 1);
    // The status events of earlier attempts may be lost, or may come later.
    await recordTimelines({
      of: { messageIds: again.map(([messageId]) => messageId) },
      select: ({ messageId, attempt }) => attempt < (firsts.get(messageId) ?? 0),
    });
    await record(outcomes);
  }

  async function recordMissing(outcomes: readonly MessageOutcome[], known?: Subjects) {
    // Of two lines with one id the first is the outcome.
    const byId = new Map(outcomes.toReversed().map((outcome) => [eventIdOf(outcome), outcome]));
    const recorded = await recordedEvents([...byId.keys()]);
    await record(
      outcomes.filter((outcome) => {
        const id = eventIdOf(outcome);
        return byId.get(id) === outcome && !recorded.has(id);
      }),
      known,
    );
  }

  async function recordTimelines({ of, known, select = () => true }: Recorded): Promise<void> {
    if ("messageIds" in of && of.messageIds.length === 0) return;
    const since = now().getTime() - deps.eventsKeptMs;
    const isMeant = (outcome: MessageOutcome) => outcome.at.getTime() > since && select(outcome);
    let outcomes: MessageOutcome[] = [];
    for await (const message of messageTimelines(of)) {
      outcomes.push(...outcomesOf(message).filter(isMeant));
      if (outcomes.length < BATCH_SIZE) continue;
      await recordMissing(outcomes, known);
      outcomes = [];
    }
    await recordMissing(outcomes, known);
  }

  return {
    recordOutcomes: (statusEvents) => recordOutcomes(outcomesIn(statusEvents)),
    recordTimelines: (of) => recordTimelines({ of }),
    async recordSettled(sends, isRecorded) {
      const subjects = await eventSubjects(sends.map(({ _id }) => _id));
      const open = sends.filter((send) => !isRecorded(send)).map(({ _id }) => _id);
      if (open.length > 0) await recordTimelines({ of: { sendIds: open }, known: subjects });
      await write(sends.flatMap((send): NewEvent[] => {
        const { _id: sendId, accountId, messageCount, states, attempts } = send;
        const subject = subjects.get(sendId);
        if (subject === undefined) return [];
        const { template, integrationId } = subject;
        return [{
          ...{ _id: settledEventId(sendId, attempts), accountId, type: "send.settled", at: now() },
          data: {
            ...{ sendId, messageCount, states, template, integrationId },
            ...batchOf(subject),
            ...subject.labelsOf(),
          },
        }];
      }));
    },
  };
}
