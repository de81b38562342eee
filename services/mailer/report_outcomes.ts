import { type MessageStatusEvent, type Outgoing, reportsOf } from "@posthaste/messaging";
import { Throttle } from "@posthaste/runtime";
import { injectTrace, type Logger, type TraceCarrier } from "@posthaste/telemetry";

/** The dependencies of a reporter. */
export interface ReporterDeps {
  publish(outgoing: Outgoing, options: { trace: TraceCarrier }): Promise<void>;
  logger: Pick<Logger, "warn">;
  /** Least time between two reports, in milliseconds. @default {50} */
  everyMs?: number;
}

/**
 * Opens the reporter of outcomes: those within `everyMs` of the last report share the next one, whatever their
 * sends. The ledger already has them, so a report that the broker refuses is only a warning.
 *
 * @returns Reports an outcome, and resolves when the broker has it or did not take it.
 */
export function openReporter(
  { publish, logger, everyMs = 50 }: ReporterDeps,
): (statusEvent: MessageStatusEvent) => Promise<void> {
  const throttle = new Throttle(everyMs);
  let group: { statusEvents: MessageStatusEvent[]; published: Promise<void> } | undefined;

  async function publishLater(
    statusEvents: MessageStatusEvent[],
    trace: TraceCarrier,
  ): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, throttle.waitMs));
    throttle.begin();
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
