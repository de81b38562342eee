import { hash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { otherEventId, type Webhook } from "@posthaste/contracts";
import type { Chaos, Fault } from "./fault.ts";
import { p99 } from "../p99.ts";
import { DATABASE } from "../records/read_records.ts";
import { addEndpoint, openReceiver, type Receiver, verifyTaken } from "./webhook_endpoint.ts";

/** An endpoint's claim without a sign of life, and the time to the next claim of another process. */
const LEASE_MS = 7500 + 2500;

/** Longest wait for another process on a busy machine, in milliseconds. */
const TAKEN_WITHIN_MS = LEASE_MS + 10_000;

/** Time without a fault at the beginning: the baseline. */
const BASELINE_MS = 4000;

/** Time between events of the account that is measured. */
const EVERY_MS = 150;

/** Beside a stopped process, events of an account that it has not claimed are at most this much later. */
const LATER_MS = 1000;

/** An event of the account that is measured. */
interface Recorded {
  id: string;
  type: "template.published";
  at: number;
}

/**
 * SIGSTOP of the process that has claimed an endpoint, for longer than its claim. Events of another account, whose
 * endpoint the other process has, do not wait.
 */
export const ZOMBIE_WEBHOOKS: Fault = {
  name: "zombie-webhooks",
  description:
    "One of two webhooks processes is stopped for longer than its claims, and wakes up again",
  lastsMs: BASELINE_MS + TAKEN_WITHIN_MS,
  async run(chaos) {
    const { fixture: { pods, store }, account, run, random, count, blame, note } = chaos;
    const receiver = await openReceiver(random);
    const { id: endpoint, position } = await addEndpoint(chaos, account.accountId, receiver.url);
    const zombie = await pods.start("webhooks");
    const holder = await otherHolder(chaos, endpoint, undefined);
    const awake = await pods.start("webhooks");
    const { _id: neighbour } = await store.accounts.create({ name: `${run}-neighbour` });
    const neighbours = await openReceiver();
    // Meanwhile only the other process can claim it.
    pods.freeze(zombie);
    const beside = await addEndpoint(chaos, neighbour, neighbours.url);
    await otherHolder(chaos, beside.id, holder);
    pods.thaw(zombie);

    const over = new AbortController();
    const recording = recordEvents(chaos, neighbour, over.signal);
    await delay(BASELINE_MS);
    const frozenAt = Date.now();
    pods.freeze(zombie);
    count("other", "webhooks");
    if (await otherHolder(chaos, endpoint, holder) === undefined) {
      blame("I11", `No process took the endpoint over within ${TAKEN_WITHIN_MS} ms`);
    }
    note(`taken over after ${Date.now() - frozenAt} ms`);
    // The events that waited go out before the old claim's owner wakes up with requests in flight.
    await delay(random.integer(1000, 4000));
    const thawedAt = Date.now();
    pods.thaw(zombie);
    over.abort();
    const recorded = await recording;
    return async (feed) => {
      using _receiver = receiver;
      using _neighbours = neighbours;
      const due = feed.filter(({ sequence }) => sequence > position);
      await verifyTaken(chaos, { receiver, feed: due });
      await verifyTaken(chaos, { receiver: neighbours, feed: recorded });
      compare(chaos, neighbours, {
        before: recorded.filter(({ at }) => at < frozenAt),
        during: recorded.filter(({ at }) => at >= frozenAt && at < thawedAt),
      });
      await Promise.all([zombie, awake].map((pod) => pods.end(pod, "SIGTERM")));
    };
  },
};

/** Waits until another process than `holder` has claimed an endpoint; `undefined` if none does. */
async function otherHolder(
  { fixture: { mongo } }: Chaos,
  _id: string,
  holder: string | undefined,
): Promise<string | undefined> {
  const webhooks = mongo.db(DATABASE).collection<Webhook & { lease?: { holder: string } }>(
    "webhooks",
  );
  const until = performance.now() + TAKEN_WITHIN_MS;
  while (performance.now() < until) {
    const found = await webhooks.findOne({ _id });
    if (found?.lease !== undefined && found.lease.holder !== holder) return found.lease.holder;
    await delay(100);
  }
  return undefined;
}

/** Records events of an account until the signal aborts. */
async function recordEvents(
  { fixture: { store } }: Chaos,
  accountId: string,
  signal: AbortSignal,
): Promise<Recorded[]> {
  const recorded: Recorded[] = [];
  while (!signal.aborted) {
    const type = "template.published";
    const at = new Date();
    const version = recorded.length + 1;
    const id = otherEventId(at, hash("sha256", `${accountId}/${version}`, "hex").slice(0, 24));
    await store.events.record([{
      ...{ _id: id, accountId, type, at },
      data: { kind: "email", templateId: 1, version },
    }]);
    recorded.push({ id, type, at: Date.now() });
    await delay(EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  return recorded;
}

function compare(
  { note, blame }: Chaos,
  { takenAt }: Receiver,
  { before, during }: { before: readonly Recorded[]; during: readonly Recorded[] },
): void {
  const waitsOf = (events: readonly Recorded[]) =>
    events.map(({ id, at }) => (takenAt.get(id) ?? Infinity) - at);
  const usual = p99(waitsOf(before)) ?? Infinity;
  const beside = p99(waitsOf(during)) ?? Infinity;
  note(
    `p99 of another account's events: ${usual} ms before, ${beside} ms beside a stopped process`,
  );
  // Without events before, there is nothing to compare with.
  if (usual < Infinity && beside < usual + LATER_MS) return;
  blame("I10", `The p99 of another account's events grew from ${usual} to ${beside} ms`);
}
