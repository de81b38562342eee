import { type MessageStatusEvent, type Outgoing, reportsOf } from "@posthaste/messaging";
import { openPace } from "@posthaste/runtime";
import { injectTrace, type Logger, type TraceCarrier } from "@posthaste/telemetry";

/** The dependencies of a reporter. */
export interface ReporterDeps {
  publish(outgoing: Outgoing, options: { trace: TraceCarrier }): Promise<void>;
  logger: Pick<Logger, "warn">;
  /** Least time between two events, in milliseconds. @default {50} */
  everyMs?: number;
}

/**
 * Opens the reporter of outcomes: those that come while others were just reported are one status event, of whatever
 * send. The ledger already has them, so a report that the broker refuses is only a warning.
 *
 * @returns Reports an outcome, and resolves when the broker has it or did not take it.
 */
export function openReporter(
  { publish, logger, everyMs = 50 }: ReporterDeps,
): (statusEvent: MessageStatusEvent) => Promise<void> {
  const pace = openPace(everyMs);
  let group: { statusEvents: MessageStatusEvent[]; published: Promise<void> } | undefined;

  async function publishLater(
    statusEvents: MessageStatusEvent[],
    trace: TraceCarrier,
  ): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, pace()));
    group = undefined;
    try {
      await Promise.all(reportsOf(statusEvents).map((event) => publish(event, { trace })));
    } catch (error) {
      logger.warn("Cannot publish outcomes, but the ledger has them", {
        count: statusEvents.length,
        error,
      });
    }
  }

  return (statusEvent) => {
    if (group !== undefined) {
      group.statusEvents.push(statusEvent);
      return group.published;
    }
    const statusEvents = [statusEvent];
    // A group has one trace: that of its first outcome.
    const published = publishLater(statusEvents, injectTrace());
    group = { statusEvents, published };
    return published;
  };
}
