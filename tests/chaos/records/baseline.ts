import type { Holding } from "./records.ts";

/** How much more than an idle, fresh service a quiet one may hold. */
const SHARE = 1.1;

/**
 * Connections to the database beyond that. One: services have loops that ask every 100 ms or so, and
 * when two happen to ask in the same moment there is one connection more for a second.
 */
const POLLING_SLACK = 1;

/** The permitted resources of each kind of service, by those of fresh ones. */
export type Baseline = Map<string, Holding>;

/** Returns the maximum resources of each kind of idle service. */
export function baselineOf(holdings: readonly Holding[]): Baseline {
  const baseline: Baseline = new Map();
  for (const holding of holdings) {
    const known = baseline.get(holding.role) ?? holding;
    baseline.set(holding.role, {
      ...known,
      files: Math.max(known.files, holding.files),
      database: Math.max(known.database, holding.database),
      broker: Math.max(known.broker, holding.broker),
      browsers: Math.max(known.browsers, holding.browsers),
    });
  }
  return baseline;
}

/**
 * Returns each service that holds more than its baseline and a tenth.
 *
 * @param members How many databases there are. Ten seconds after its start, which is later than the
 *   baseline is read, the driver opens a second connection to each by which it watches it.
 */
export function findSurplus(
  holdings: readonly Holding[],
  { baseline, members }: { baseline: Baseline; members: number },
): string[] {
  const databaseSlack = POLLING_SLACK + members;
  return holdings.flatMap(({ pod, role, ...held }) => {
    const fresh = baseline.get(role);
    if (fresh === undefined) return [`${pod} is of a kind that was not there at the start`];
    const surplus = (what: string, now: number, before: number, slack = 0) =>
      now > Math.floor(before * SHARE) + slack
        ? [`${pod} holds ${now} ${what}; a fresh one that is idle ${before}`]
        : [];
    return [
      ...surplus("open files", held.files, fresh.files, databaseSlack),
      ...surplus("database connections", held.database, fresh.database, databaseSlack),
      ...surplus("broker connections", held.broker, fresh.broker),
      ...surplus("browser processes", held.browsers, fresh.browsers),
    ];
  });
}
