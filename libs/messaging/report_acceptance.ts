import { EVENT_VERSION, type Send } from "@posthaste/contracts";
import type { Logger } from "@posthaste/telemetry";
import type { Bus } from "./bus.ts";
import type { Outgoing } from "./step.ts";

/** What is reported of an accepted send. */
export type ReportedSend = Pick<Send, "_id" | "accountId" | "acceptedAt" | "messageCount">;

/** Reports of accepted sends. Disposing publishes what is not published yet. */
export interface AcceptanceReports extends AsyncDisposable {
  /** Reports a send soon. Never throws: reports are hints, and statistics are counted from the ledger. */
  note(send: ReportedSend): void;
}

/** Settings of {@linkcode openAcceptanceReports}. */
export interface AcceptanceReportsOptions {
  logger: Pick<Logger, "warn">;
  /** How long a report waits for others of its account, in milliseconds. @default {250} */
  lingerMs?: number;
}

/** Makes the status event of an accepted send. `waits`: it waits for capacity or its time. */
export function acceptanceOf(
  { _id: sendId, accountId, acceptedAt, messageCount: recipients }: ReportedSend,
  { waits = false }: { waits?: boolean } = {},
): Outgoing {
  const at = acceptedAt.toISOString();
  return {
    type: "status.send.accepted",
    data: { v: EVENT_VERSION, sendId, accountId, at, recipients, ...(waits ? { waits } : {}) },
  };
}

/** Opens reports of accepted sends: those of an account that come together are one status event. */
export function openAcceptanceReports(
  bus: Pick<Bus, "publish">,
  { logger, lingerMs = 250 }: AcceptanceReportsOptions,
): AcceptanceReports {
  const noted = new Map<string, ReportedSend>();
  let timer: NodeJS.Timeout | undefined;

  async function publish(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const sends = [...noted.values()];
    noted.clear();
    try {
      await Promise.all(
        sends.map((send) => bus.publish(acceptanceOf(send), { id: `${send._id}.accepted` })),
      );
    } catch (error) {
      logger.warn("Cannot report accepted sends: statistics follow later", { error });
    }
  }

  return {
    note(send) {
      const { accountId, messageCount } = send;
      const earlier = noted.get(accountId);
      noted.set(
        accountId,
        earlier === undefined
          ? send
          : { ...earlier, messageCount: earlier.messageCount + messageCount },
      );
      timer ??= setTimeout(() => void publish(), lingerMs);
    },
    [Symbol.asyncDispose]: publish,
  };
}
