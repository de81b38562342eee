import type { IntegrationEvent } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";

/** An event of an integration whose `_id` is known. */
export type Happening = Pick<IntegrationEvent, "type" | "reason" | "at">;

/**
 * Returns a function that adds a line to the history of an integration. It never throws: the event has
 * happened, and neither mail nor a person must wait for its record.
 */
export function historian(db: Db): (integrationId: string, happening: Happening) => Promise<void> {
  const { integrationEvents } = collectionsOf(db);
  return async (integrationId, happening) => {
    const [accountId = ""] = integrationId.split("/");
    await integrationEvents.insertOne({ accountId, integrationId, ...happening })
      .catch(() => undefined);
  };
}
