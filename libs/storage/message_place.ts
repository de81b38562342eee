import { type Integration, type Message, PARKING_REASON } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf, type StoredSend } from "./_collections.ts";
import { reasonOfTrouble } from "./integration_health.ts";

/** Why a message waits, and for how many others. */
export interface MessagePlace {
  /** A sentence for people. */
  reason: string;
  /**
   * Messages of its integration that go first, as it looks now: {@linkcode MOST_AHEAD} means so many or
   * more.
   */
  ahead: number;
}

/** What tells whether a message waits. */
export type Placed = Pick<
  Message,
  "_id" | "sendId" | "index" | "state" | "waitsFor" | "nextAt" | "reason"
>;

/** Places of messages in the line of their integration. */
export interface MessagePlaces {
  /**
   * Finds the places of those messages that wait in the ledger until there is room for them, by id. What is
   * on its way, or waits for a time, has none.
   */
  findPlaces(accountId: string, messages: readonly Placed[]): Promise<Map<string, MessagePlace>>;
}

/** So many are counted at most. */
export const MOST_AHEAD = 10_000;

/** Sends before one that are counted at most. */
const MOST_SENDS = 1000;

type Line = Pick<StoredSend, "_id" | "priority" | "acceptedAt" | "messageCount"> & {
  next: number;
  waitsFor: string;
};

const LINE = { priority: 1, acceptedAt: 1, messageCount: 1, next: 1, waitsFor: 1 };

/** Returns the look-up of places; without logins, from the view that such a service may read. */
export function messagePlaces(
  db: Db,
  { withoutLogins = false }: { withoutLogins?: boolean } = {},
): MessagePlaces {
  const { integrations, openIntegrations, integrationHealth, messages, sends } = collectionsOf(db);
  const readable = withoutLogins ? openIntegrations : integrations;

  async function placesOf(
    key: string,
    { parked, queued, accountId }: { parked: Placed[]; queued: Placed[]; accountId: string },
  ): Promise<[string, MessagePlace][]> {
    const places = await Promise.all(parked.map(async ({ _id, nextAt, reason }) => {
      const before = { $gt: new Date(0), $lt: nextAt ?? new Date(0) };
      const filter = { accountId, integration: key, nextAt: before, waitsFor: key };
      const ahead = await messages.countDocuments(filter, { limit: MOST_AHEAD });
      return [_id, { reason: reason ?? PARKING_REASON.busy, ahead }] satisfies [
        string,
        MessagePlace,
      ];
    }));
    if (queued.length === 0) return places;
    const [line, back, integration, trouble] = await Promise.all([
      sends.find({ accountId, waitsFor: key }).sort({ priority: -1, acceptedAt: 1 }).limit(
        MOST_SENDS,
      )
        .project<Line>(LINE).toArray(),
      messages.countDocuments({ accountId, waitsFor: key }, { limit: MOST_AHEAD }),
      readable.findOne({ _id: key, accountId }, { projection: { suspended: 1, maxPerMinute: 1 } }),
      integrationHealth.findOne({ _id: key }),
    ]);
    let ahead = back;
    const beforeSend = new Map<string, { ahead: number; next: number }>();
    for (const { _id, next, messageCount } of line) {
      beforeSend.set(_id, { ahead, next });
      ahead += messageCount - next;
    }
    const closed = closedBy(integration, trouble?.openUntil ? reasonOfTrouble(trouble) : undefined);
    for (const { _id, sendId, index } of queued) {
      const before = beforeSend.get(sendId);
      const place = before === undefined
        ? MOST_AHEAD
        : Math.min(MOST_AHEAD, before.ahead + index - before.next);
      const open = place === 0 ? PARKING_REASON.busy : PARKING_REASON.behind;
      places.push([_id, { reason: closed ?? open, ahead: place }]);
    }
    return places;
  }

  return {
    async findPlaces(accountId, found) {
      const queued = found.filter(({ state }) => state === "queued");
      const ids = [...new Set(queued.map(({ sendId }) => sendId))];
      const waiting = ids.length === 0 ? [] : await sends
        .find({ _id: { $in: ids }, accountId, waitsFor: { $gte: "" } }).project<Line>(LINE)
        .toArray();
      const bySend = new Map(waiting.map((send) => [send._id, send]));
      const keyOf = ({ state, waitsFor, sendId, index }: Placed): string | undefined => {
        if (state === "deferred") return waitsFor ?? undefined;
        const send = state === "queued" ? bySend.get(sendId) : undefined;
        return send !== undefined && index >= send.next ? send.waitsFor : undefined;
      };
      const byKey = Map.groupBy(found, keyOf);
      byKey.delete(undefined);
      const places = await Promise.all([...byKey].map(([key = "", all]) => {
        const parked = all.filter(({ state }) => state === "deferred");
        const rest = all.filter(({ state }) => state === "queued");
        return placesOf(key, { accountId, parked, queued: rest });
      }));
      return new Map(places.flat());
    },
  };
}

function closedBy(
  integration: Pick<Integration, "suspended" | "maxPerMinute"> | null,
  trouble: string | undefined,
): string | undefined {
  if (integration?.suspended) return PARKING_REASON.suspended(integration.suspended.reason);
  if (trouble !== undefined) return trouble;
  return integration?.maxPerMinute ? PARKING_REASON.rate : undefined;
}
