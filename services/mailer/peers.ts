import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { MailerRegister } from "@posthaste/storage";
import type { Logger } from "@posthaste/telemetry";
import type { Peers } from "./share.ts";

/** This mailer among its peers. Disposing says that it is gone. */
export interface Peer extends AsyncDisposable {
  peers(): Peers;
  /** Stays announced and learns who else is there, until the signal aborts. */
  stay(signal: AbortSignal): Promise<void>;
}

const ANNOUNCE_MS = 3000;

/** A mailer that was not heard of for so long is gone, and the others take over its share. */
const LIVE_MS = 10_000;

/**
 * Joins the mailers. If others are there already, it waits until they have heard of it, so that
 * together they never exceed what an integration allows.
 */
export async function joinPeers(
  store: MailerRegister,
  { logger, signal }: { logger: Pick<Logger, "warn">; signal: AbortSignal },
): Promise<Peer> {
  const id = randomBytes(8).toString("hex");
  let known: Peers = { count: 1, position: 0 };

  async function announce(): Promise<void> {
    try {
      await store.announceMailer(id);
      const live = await store.liveMailers(LIVE_MS);
      const position = live.indexOf(id);
      if (position >= 0) known = { count: live.length, position };
    } catch (error) {
      logger.warn("Cannot announce this mailer to its peers", { error });
    }
  }

  await announce();
  if (known.count > 1) await delay(1.5 * ANNOUNCE_MS, undefined, { signal }).catch(() => undefined);
  return {
    peers: () => known,
    async stay(signal) {
      while (!signal.aborted) {
        await delay(ANNOUNCE_MS, undefined, { signal }).catch(() => undefined);
        if (!signal.aborted) await announce();
      }
    },
    async [Symbol.asyncDispose]() {
      await store.dismissMailer(id).catch(() => undefined);
    },
  };
}
