import type { StorePart } from "@posthaste/storage";

/** An integration whose server cannot be reached. */
export interface UnreachableIntegration {
  accountId: string;
  id: number;
  name: string;
  /** A sentence. */
  reason: string;
  /** Null if its history no longer says. */
  since: Date | null;
  /** Messages that wait for it, up to {@linkcode MAX_WAITING}. */
  waiting: number;
}

/** The highest count of messages of one integration. */
const MAX_WAITING = 10_000;
/** Each is looked up: more are no news to a person. */
const MAX_NAMED = 100;
/** Between two failures there are few other events. */
const EVENTS = 50;

/**
 * Lists the integrations that the dashboard shows as unreachable, over all accounts, up to 100. Suspended and
 * archived ones are left out, also those whose login was refused.
 */
export async function unreachableIntegrations(
  { circuits, integrations }: StorePart<
    | "circuits.list"
    | "integrations.find"
    | "integrations.listEvents"
    | "integrations.countWaiting"
  >,
): Promise<UnreachableIntegration[]> {
  const open = (await circuits.list())
    .filter(({ openUntil, loginRefusedAt }) => openUntil !== null && loginRefusedAt === undefined)
    .slice(0, MAX_NAMED);
  const found = await Promise.all(open.map(async ({ _id, reason }) => {
    const [accountId = "", number] = _id.split("/");
    const id = Number(number);
    const integration = await integrations.find(accountId, id);
    if (integration === null || integration.suspended !== null || integration.archivedAt) return [];
    const [events, waiting] = await Promise.all([
      integrations.listEvents(accountId, id, { limit: EVENTS }),
      integrations.countWaiting(accountId, id, MAX_WAITING),
    ]);
    const since = events.find(({ type }) => type === "unreachable")?.at ?? null;
    return [{ accountId, id, name: integration.name, reason, since, waiting }];
  }));
  return found.flat();
}
