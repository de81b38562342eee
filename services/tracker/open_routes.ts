import type { Integration } from "@posthaste/contracts";
import type { IntegrationCircuit } from "@posthaste/storage";
import { candidateOf } from "./candidate.ts";
import { capacityFor } from "./capacity.ts";
import type { Flow } from "./flow.ts";
import { type Capacities, type Routes, routesOf } from "./routes.ts";

/** The dependencies of opening routes. */
export interface RouteDeps {
  integrations: {
    find(accountId: string, id: number): Promise<Integration | null>;
  };
  now(): Date;
}

/** What a round of the scheduler knows of all integrations. */
export interface Round {
  circuits: ReadonlyMap<string, IntegrationCircuit>;
  flow: Flow;
  /** How many more messages integrations (`<account>/<id>`) may take. Those whose routes were opened are in it. */
  left: Map<string, number>;
}

/** Opens a round: what an integration may take is measured once in it. */
export function openRound(circuits: readonly IntegrationCircuit[], flow: Flow): Round {
  return {
    circuits: new Map(circuits.map((circuit) => [circuit._id, circuit])),
    flow,
    left: new Map(),
  };
}

/** Routes that are open. */
export interface OpenRoutes extends Routes {
  /** The integration of the mail; null if it does not exist any more. */
  integration: Integration | null;
  /** How many messages are in flight through its fallbacks, of all mail. */
  inFlightElsewhere: number;
}

/**
 * Finds the integrations that may send the mail of an integration (`<account>/<id>`), and measures what each may take.
 */
export async function openRoutes(key: string, round: Round, deps: RouteDeps): Promise<OpenRoutes> {
  const { circuits, flow } = round;
  const now = deps.now();
  const [accountId = "", text] = key.split("/");
  const id = Number(text);
  const integration = await deps.integrations.find(accountId, id);
  const others = await Promise.all(
    [...new Set(integration?.fallbacks)].filter((other) => other !== id)
      .map((other) => deps.integrations.find(accountId, other)),
  );
  const found = others.filter((other) => other !== null);
  measure(key, integration, { round, now });
  for (const other of found) measure(other._id, other, { round, now });
  const candidate = (one: Integration) =>
    candidateOf({ integration: one, circuit: circuits.get(one._id) }, now);
  const own = integration && {
    ...candidate(integration),
    isPaused: integration.suspended?.kind === "person",
  };
  const capacities = capacitiesOf(accountId, round);
  const routes = routesOf({ id, own, fallbacks: found.map(candidate), capacities });
  const inFlightElsewhere = found.reduce((sum, { _id }) => sum + flow.inFlight(_id), 0);
  return { ...routes, integration, inFlightElsewhere };
}

/** Notes what an integration may take in a round, unless that is known. */
function measure(
  key: string,
  integration: Integration | null,
  { round: { circuits, flow, left }, now }: { round: Round; now: Date },
): void {
  if (left.has(key)) return;
  const [inFlight, window] = [flow.inFlight(key), flow.windowOf(key)];
  const turns = flow.turnsOf(key, integration?.maxPerMinute ?? null);
  const circuit = circuits.get(key);
  left.set(key, capacityFor({ integration, circuit, inFlight, window, turns, now }));
}

/** Returns what the integrations of an account may take in a round. */
function capacitiesOf(accountId: string, { left }: Pick<Round, "left">): Capacities {
  const of = (id: number) => left.get(`${accountId}/${id}`) ?? 0;
  return {
    of,
    take: (id, messages) => void left.set(`${accountId}/${id}`, of(id) - messages),
  };
}
