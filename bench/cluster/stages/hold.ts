import type { JetStreamManager } from "@nats-io/jetstream";
import { setTimeout as delay } from "node:timers/promises";

/** A consumer by its stream. */
export interface ConsumerName {
  stream: string;
  name: string;
}

const SOON_MS = 400;
const HOLD_MS = 600_000;
const LOOK_MS = 25;
const LONGEST_MS = 180_000;

/** Holds consumers: they deliver nothing until they are released. */
export async function hold(
  manager: JetStreamManager,
  consumers: readonly ConsumerName[],
): Promise<void> {
  const until = new Date(Date.now() + HOLD_MS);
  for (const { stream, name } of consumers) await manager.consumers.pause(stream, name, until);
}

/**
 * Releases the held consumers, all together, and resolves at that moment. The release is a time in the near
 * future: after a `resume` the broker informs waiting clients only when they ask again, seconds later.
 */
export async function letGo(
  manager: JetStreamManager,
  consumers: readonly ConsumerName[],
): Promise<void> {
  const at = Date.now() + SOON_MS;
  await Promise.all(
    consumers.map(({ stream, name }) => manager.consumers.pause(stream, name, new Date(at))),
  );
  await delay(at - Date.now());
}

/** Returns the number of waiting and unacknowledged events of consumers. */
export async function backlog(
  manager: JetStreamManager,
  consumers: readonly ConsumerName[],
): Promise<number> {
  const infos = await Promise.all(
    consumers.map(({ stream, name }) => manager.consumers.info(stream, name)),
  );
  return infos.reduce((sum, { num_pending, num_ack_pending }) => {
    return sum + num_pending + num_ack_pending;
  }, 0);
}

/**
 * Waits until a number has the expected value.
 *
 * @throws {Error} If it is not within three minutes.
 */
export async function untilCount(
  count: () => Promise<number>,
  wanted: number,
  what: string,
): Promise<void> {
  const deadline = performance.now() + LONGEST_MS;
  for (;;) {
    const now = await count();
    if (now === wanted) return;
    if (performance.now() > deadline) {
      throw new Error(`Cannot measure: there are ${now} ${what}, not ${wanted}`);
    }
    await delay(LOOK_MS);
  }
}
