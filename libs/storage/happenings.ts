import { hash } from "node:crypto";
import {
  eventReason,
  type FeedEventType,
  type IntegrationEvent,
  otherEventId,
} from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import type { NewEvent } from "./recorded_event.ts";

/** Look-ups of events of integrations and templates. */
export interface Happenings {
  /**
   * Lists events of integrations and templates of all accounts from a time on, oldest first: at most `limit`
   * of each kind.
   */
  listHappenings(since: Date, limit: number): Promise<NewEvent[]>;
}

const INTEGRATION_TYPES: Record<IntegrationEvent["type"], FeedEventType> = {
  suspended: "integration.suspended",
  paused: "integration.paused",
  resumed: "integration.resumed",
  unreachable: "integration.unreachable",
  // It is not usable either, until the next try.
  login_refused: "integration.unreachable",
  reachable: "integration.reachable",
};

/** Returns the look-up of events of integrations and templates. */
export function happenings(db: Db): Happenings {
  const { integrationEvents, templates, versions } = collectionsOf(db);

  async function ofIntegrations(since: Date, limit: number): Promise<NewEvent[]> {
    const found = await integrationEvents.find({ at: { $gte: since } }).sort({ at: 1 })
      .limit(limit).toArray();
    return found.map(({ _id, accountId, integrationId, at, type, reason }) => ({
      ...{ _id: idOf(at, `integration/${_id.toHexString()}`), accountId, at },
      type: INTEGRATION_TYPES[type],
      data: {
        integrationId: Number(integrationId.split("/").at(-1)),
        reason: eventReason(reason),
      },
    }));
  }

  async function published(since: Date, limit: number): Promise<NewEvent[]> {
    const found = versions.find({ publishedAt: { $gte: since }, isTest: { $ne: true } })
      .sort({ publishedAt: 1 }).limit(limit)
      .project<PublishedHead>({ accountId: 1, kind: 1, templateId: 1, version: 1, publishedAt: 1 });
    return (await found.toArray()).map(({ _id, accountId, publishedAt: at, ...data }) => ({
      ...{ _id: idOf(at, `published/${_id}`), accountId, type: "template.published", at, data },
    }));
  }

  async function archived(since: Date, limit: number): Promise<NewEvent[]> {
    const found = await templates.find({ archivedAt: { $gte: since } }).sort({ archivedAt: 1 })
      .limit(limit).toArray();
    return found.map(({ _id, accountId, kind, id: templateId, archivedAt }) => {
      const at = archivedAt ?? since;
      const data = { kind, templateId };
      return { _id: idOf(at, `archived/${_id}`), accountId, type: "template.archived", at, data };
    });
  }

  return {
    async listHappenings(since, limit) {
      const found = await Promise.all(
        [ofIntegrations, published, archived].map((list) => list(since, limit)),
      );
      return found.flat().toSorted((a, b) => a.at.getTime() - b.at.getTime());
    },
  };
}

interface PublishedHead {
  _id: string;
  accountId: string;
  kind: "email" | "pdf";
  templateId: number;
  version: number;
  publishedAt: Date;
}

function idOf(at: Date, what: string): string {
  return otherEventId(at, hash("sha256", what, "hex").slice(0, 24));
}
