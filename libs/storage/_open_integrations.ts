import { type Db, MongoServerError } from "mongodb";
import { OPEN_INTEGRATIONS } from "./database_rights.ts";

/** Of the keys, the view contains only the domain for which mail is signed. */
const signsFor = { $cond: [{ $eq: ["$dkim.enabled", true] }, "$dkim.domain", null] };
const VIEW = { viewOn: "integrations", pipeline: [{ $set: { auth: null, dkim: null, signsFor } }] };
const EXISTS = 48;

/** Creates or updates the view of the integrations, which contains none of their logins and keys. */
export async function createOpenIntegrations(db: Db): Promise<void> {
  try {
    await db.createCollection(OPEN_INTEGRATIONS, VIEW);
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== EXISTS) throw error;
    await db.command({ collMod: OPEN_INTEGRATIONS, ...VIEW });
  }
}

/**
 * Checks that the view exists: a missing view would read as if there were no integrations.
 *
 * @throws {Error} If it does not exist.
 */
export async function checkOpenIntegrations(db: Db): Promise<void> {
  const options = { nameOnly: true, authorizedCollections: true };
  const found = await db.listCollections({ name: OPEN_INTEGRATIONS }, options).toArray();
  if (found.length === 0) {
    throw new Error(`the view "${OPEN_INTEGRATIONS}" is missing; run: posthaste migrate`);
  }
}
