import type { Message } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf, type StoredSend } from "./_collections.ts";
import { reasonOfPause, WAITING_REASON } from "./waiting_reason.ts";

/** Why a message waits, and behind how many others. */
export interface MessagePlace {
  /** A sentence for people. */
  reason: string;
  /** Messages of its integration that currently go first. {@linkcode MAX_AHEAD} means that many or more. */
  ahead: number;
}

/** The fields that decide whether a message waits. */
export type Placed = Pick<
  Message,
  "_id" | "sendId" | "index" | "state" | "waitsFor" | "nextAt" | "reason"
>;

/** Look-ups of messages' places in the queue of their integration. */
export interface MessagePlaces {
  /**
   * Returns the places of messages that wait for their integration, by id. Messages in flight and those that are due
   * have none, unless the integration has stopped meanwhile. Messages that wait for a time have none either.
   */
  findPlaces(accountId: string, messages: readonly Placed[]): Promise<Map<string, MessagePlace>>;
}

/** The highest count of messages ahead. */
export const MAX_AHEAD = 10_000;

/** The most sends to count before one. */
const MAX_SENDS = 1000;

type Line =
  & Pick<StoredSend, "_id" | "priority" | "acceptedAt" | "messageCount" | "integrationId">
  & Pick<StoredSend, "next" | "waitsFor">;

const LINE = {
  ...{ priority: 1, acceptedAt: 1, messageCount: 1 },
  ...{ integrationId: 1, next: 1, waitsFor: 1 },
};

/** Messages that wait for one integration, by the way they wait. */
interface Waiting {
  accountId: string;
  /** An attempt ended with the integration's suspension. */
  deferred: Placed[];
  /** The scheduler has not dispatched them. */
  queued: Placed[];
  /** They were dispatched, or are due. */
  underway: Placed[];
}

/** Returns the look-up of places. Without logins, it reads the view that such a service may read. */
export function messagePlaces(
  db: Db,
  { withoutLogins = false }: { withoutLogins?: boolean } = {},
): MessagePlaces {
  const { integrations, openIntegrations, integrationHealth, messages, sends } = collectionsOf(db);
  const readable = withoutLogins ? openIntegrations : integrations;

  async function placesOf(
    key: string,
    { accountId, deferred, queued, underway }: Waiting,
  ): Promise<[string, MessagePlace][]> {
    const [integration, circuit] = await Promise.all([
      readable.findOne({ _id: key, accountId }, { projection: { suspended: 1, maxPerMinute: 1 } }),
      integrationHealth.findOne({ _id: key }),
    ]);
    const pause = reasonOfPause(integration, circuit);
    const places = await Promise.all(
      deferred.map(async ({ _id, nextAt, reason }): Promise<[string, MessagePlace]> => {
        const at = nextAt ?? new Date(0);
        const ahead = await messages.countDocuments({
          ...{ accountId, integration: key, waitsFor: key },
          nextAt: { $gt: new Date(0), $lte: at },
          $or: [{ nextAt: { $lt: at } }, { _id: { $lt: _id } }],
        }, { limit: MAX_AHEAD });
        return [_id, { reason: pause ?? reason ?? WAITING_REASON.busy, ahead }];
      }),
    );
    if (pause !== undefined) {
      for (const { _id } of underway) places.push([_id, { reason: pause, ahead: 0 }]);
    }
    if (queued.length === 0) return places;
    const before = await countBefore(key, accountId);
    const closed = pause ?? (integration?.maxPerMinute ? WAITING_REASON.rate : undefined);
    for (const { _id, sendId, index } of queued) {
      const send = before.get(sendId);
      const ahead = send === undefined
        ? MAX_AHEAD
        : Math.min(MAX_AHEAD, send.ahead + index - send.next);
      const open = ahead === 0 ? WAITING_REASON.busy : WAITING_REASON.behind;
      places.push([_id, { reason: closed ?? open, ahead }]);
    }
    return places;
  }

  /** Returns how many messages go before each of the first sends that wait for an integration, by id. */
  async function countBefore(key: string, accountId: string) {
    const [line, back] = await Promise.all([
      sends.find({ accountId, waitsFor: key }).sort({ priority: -1, acceptedAt: 1 }).limit(
        MAX_SENDS,
      )
        .project<Line>(LINE).toArray(),
      messages.countDocuments({ accountId, waitsFor: key }, { limit: MAX_AHEAD }),
    ]);
    let ahead = back;
    const before = new Map<string, { ahead: number; next: number }>();
    for (const { _id, next = 0, messageCount } of line) {
      before.set(_id, { ahead, next });
      ahead += messageCount - next;
    }
    return before;
  }

  return {
    async findPlaces(accountId, found) {
      const now = new Date();
      const isDue = ({ state, nextAt }: Placed) =>
        state === "deferred" && nextAt !== null && nextAt <= now;
      const ids = new Set(
        found.filter((one) => one.state === "queued" || isDue(one)).map(({ sendId }) => sendId),
      );
      const heads = ids.size === 0 ? [] : await sends
        .find({ _id: { $in: [...ids] }, accountId }).project<Line>(LINE).toArray();
      const bySend = new Map(heads.map((send) => [send._id, send]));
      const keyOf = ({ waitsFor, sendId }: Placed): string | undefined => {
        const send = bySend.get(sendId);
        return waitsFor ?? (send && `${accountId}/${send.integrationId}`);
      };
      const byKey = Map.groupBy(found, keyOf);
      byKey.delete(undefined);
      const isUnderway = ({ sendId, index }: Placed) => {
        const send = bySend.get(sendId);
        return send?.waitsFor === undefined || index < (send.next ?? 0);
      };
      const places = await Promise.all([...byKey].map(([key = "", all]) => {
        const deferred = all.filter(({ state, waitsFor }) => state === "deferred" && waitsFor);
        const due = all.filter((one) => isDue(one) && !one.waitsFor);
        const rest = Map.groupBy(all.filter(({ state }) => state === "queued"), isUnderway);
        const [underway = [], queued = []] = [rest.get(true), rest.get(false)];
        return placesOf(key, { accountId, deferred, queued, underway: [...due, ...underway] });
      }));
      return new Map(places.flat());
    },
  };
}
