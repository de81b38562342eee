import { repeat } from "@posthaste/runtime";
import type { EndpointCounts, StorePart } from "@posthaste/storage";
import { type Logger, observe } from "@posthaste/telemetry";
import { DOWN_AFTER, isDown } from "./endpoint_state.ts";

/** The dependencies of the watch. */
export type WatchDeps =
  & StorePart<"webhooks.listHeld" | "webhooks.countEndpoints" | "webhooks.waitingSince">
  & {
    /** Name of this process, which has claimed endpoints. */
    holder: string;
    now(): Date;
    logger: Pick<Logger, "warn">;
  };

const EVERY_MS = 20_000;

/** Age after which a value is no longer reported: it would look current. */
const STALE_MS = 60_000;

interface State {
  at: number;
  counts: EndpointCounts;
  /** Since when the oldest event waits for the endpoints of this process that are up, and for those that are down. */
  since: { up: Date | null; down: Date | null };
}

/**
 * Reads the state of the endpoints every few seconds and reports it as metrics, until the signal aborts. Every
 * process counts all endpoints, and measures the wait of those that it has claimed: take the maximum.
 */
export async function watchEndpoints(deps: WatchDeps, signal: AbortSignal): Promise<void> {
  const { now, logger } = deps;
  let state: State | undefined;
  const recent = () => state && now().getTime() - state.at < STALE_MS ? state : undefined;
  using _endpoints = observe(
    "posthaste.webhook.endpoints",
    () =>
      Object.entries(recent()?.counts ?? {}).map(([name, value]) => ({
        value,
        attributes: { "posthaste.state": name },
      })),
  );
  using _age = observe(
    "posthaste.webhook.oldest_age",
    () =>
      Object.entries(recent()?.since ?? {}).map(([name, since]) => ({
        value: since === null ? 0 : Math.max(0, now().getTime() - since.getTime()) / 1000,
        attributes: { "posthaste.state": name },
      })),
  );
  await repeat(async () => void (state = await readState(deps)), {
    ...{ everyMs: EVERY_MS, logger, signal },
    failure: "Cannot read the state of webhook endpoints, retrying",
  });
}

async function readState({ webhooks, holder, now }: WatchDeps): Promise<State> {
  const held = await webhooks.listHeld(holder);
  const at = now();
  const [counts, up, down] = await Promise.all([
    webhooks.countEndpoints(DOWN_AFTER),
    webhooks.waitingSince(held.filter(({ health }) => !isDown(health)), at),
    webhooks.waitingSince(held.filter(({ health }) => isDown(health)), at),
  ]);
  return { at: at.getTime(), counts, since: { up, down } };
}
