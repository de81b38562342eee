import { pause, randomName, untilBeat } from "@posthaste/runtime";
import type { Store } from "@posthaste/storage";
import type { Logger } from "@posthaste/telemetry";
import type { Peers } from "./share.ts";

/** This mailer among its peers. Disposing it announces that it has left. */
export interface Peer extends AsyncDisposable {
  peers(): Peers;
  /** Announces this mailer and follows its peers, until the signal aborts. */
  stay(signal: AbortSignal): Promise<void>;
}

const ANNOUNCE_MS = 3000;

/** Silence after which a mailer counts as gone, and the others take over its share. */
const LIVE_MS = 10_000;

/**
 * Joins the mailers. If there are others, it waits until they know of it, so that together they never exceed
 * the limits of an integration.
 */
export async function joinPeers(
  store: Pick<Store, "mailers">,
  { logger, signal }: { logger: Pick<Logger, "warn">; signal: AbortSignal },
): Promise<Peer> {
  const id = randomName();
  let known: Peers = { count: 1, position: 0 };

  async function announce(): Promise<void> {
    try {
      await store.mailers.announce(id);
      const live = await store.mailers.live(LIVE_MS);
      const position = live.indexOf(id);
      if (position >= 0) known = { count: live.length, position };
    } catch (error) {
      logger.warn("Cannot announce this mailer to its peers", { error });
    }
  }

  await announce();
  if (known.count > 1) await pause(1.5 * ANNOUNCE_MS, signal);
  return {
    peers: () => known,
    async stay(signal) {
      while (!signal.aborted) {
        await pause(untilBeat(ANNOUNCE_MS), signal);
        if (!signal.aborted) await announce();
      }
    },
    async [Symbol.asyncDispose]() {
      await store.mailers.dismiss(id).catch(() => undefined);
    },
  };
}
