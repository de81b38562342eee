import { JetStreamApiCodes, JetStreamApiError, type JetStreamManager } from "@nats-io/jetstream";
import { EVENTS } from "@posthaste/contracts";

/** How often the scheduler's lease was renewed, as a leader reported it. */
export interface LeaseRenewal {
  renewals: number;
  /** When the broker got the report. */
  at: Date;
}

const SUBJECT = "status.lease.renewed";

/** Returns the last reported renewal that the broker still holds; `undefined` if there is none. */
export async function lastRenewal(manager: JetStreamManager): Promise<LeaseRenewal | undefined> {
  try {
    const message = await manager.streams.getMessage("STATUS", { last_by_subj: SUBJECT });
    if (message === null) return undefined;
    const { renewals } = EVENTS[SUBJECT].parse(message.json());
    return { renewals, at: message.time };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Removes the reports of renewals. For operators: services may not purge a stream. */
export async function forgetRenewals(manager: JetStreamManager): Promise<void> {
  await manager.streams.purge("STATUS", { filter: SUBJECT });
}

function isMissing(error: unknown): boolean {
  const codes: number[] = [JetStreamApiCodes.NoMessageFound, JetStreamApiCodes.StreamNotFound];
  return error instanceof JetStreamApiError && codes.includes(error.code);
}
