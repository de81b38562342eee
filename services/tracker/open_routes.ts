import type { Integration } from "@posthaste/contracts";
import { chooseIntegration, type EarlierAttempts } from "@posthaste/delivery";
import type { IntegrationCircuit } from "@posthaste/storage";
import { capacityFor } from "./capacity.ts";
import { candidateOf, type SenderCandidate } from "./candidate.ts";
import type { Flow } from "./flow.ts";

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

/** A message that needs a route. */
export interface Routable extends EarlierAttempts {
  /** Its sender address. */
  from: string;
}

/** A first attempt: nothing is known of it. */
export const FIRST_ATTEMPT: Routable = { from: "", unknownAttempts: [], unreached: null };

/** The integrations that may send the mail of one, and how many messages each may take in this round. */
export interface Routes {
  /** Number of the integration of the mail. */
  id: number;
  /** The integration of the mail; null if it does not exist any more. */
  integration: Integration | null;
  /** Whether its fallbacks may send its mail now: it is not healthy, and no person has paused it. */
  isFailedOver: boolean;
  /** Whether it takes no mail itself now: it is suspended, or its server was unreachable just now. */
  isStopped: boolean;
  /** How many messages are in flight through its fallbacks, of all mail. */
  inFlightElsewhere: number;
  /** Returns which integration makes the next attempt of a message, and how many more it may take now. */
  routeFor(message: Routable): { id: number; left: number };
  /** Counts messages that an integration takes. */
  take(id: number, messages: number): void;
  /** Returns the largest number of messages that any of them may take now. */
  mostLeft(): number;
  /** Returns what each of the others may take now. Undefined if the integration itself takes all mail. */
  elsewhere(): Share[] | undefined;
  /**
   * Returns whether none takes a message, and not for lack of room. Then it fails when it has waited for its maximum
   * time.
   */
  isStuck(message: Routable): boolean;
  /** Returns the senders of which no first attempt is stuck. */
  served(): string[];
}

/** What one integration may take of the mail of another. */
export interface Share {
  /** The addresses whose mail it takes. */
  senders: string[];
  /** How many more messages. */
  left: number;
}

/** Finds the integrations that may send the mail of an integration (`<account>/<id>`). */
export async function openRoutes(
  key: string,
  { circuits, flow, left }: Round,
  deps: RouteDeps,
): Promise<Routes> {
  const now = deps.now();
  const [accountId = "", text] = key.split("/");
  const id = Number(text);
  const integration = await deps.integrations.find(accountId, id);
  const others = await Promise.all(
    [...new Set(integration?.fallbacks)].filter((other) => other !== id)
      .map((other) => deps.integrations.find(accountId, other)),
  );
  const keyOf = (one: number) => `${accountId}/${one}`;
  const leftOf = (one: number) => left.get(keyOf(one)) ?? 0;
  const measure = (one: number, found: Integration | null) => {
    const key = keyOf(one);
    if (left.has(key)) return;
    const [inFlight, window] = [flow.inFlight(key), flow.windowOf(key)];
    const circuit = circuits.get(key);
    left.set(key, capacityFor({ integration: found, circuit, inFlight, window, now }));
  };
  measure(id, integration);
  const fallbacks = others.flatMap((found): SenderCandidate[] => {
    if (found === null) return [];
    measure(found.id, found);
    return [candidateOf({ integration: found, circuit: circuits.get(found._id) }, now)];
  });
  const own = integration && {
    ...candidateOf({ integration, circuit: circuits.get(key) }, now),
    isPaused: integration.suspended?.kind === "person",
  };
  const isFailedOver = own !== null && !own.isPaused && fallbacks.length > 0 && !own.isHealthy;
  flow.failOver(key, isFailedOver);
  const ownTakes = () => own?.isHalfOpen === true && leftOf(id) > 0;
  const isStopped = own !== null && !own.isHealthy && !own.isHalfOpen;

  function choose(message: Routable): number {
    // One message shows whether its server is back.
    if (own === null || fallbacks.length === 0 || ownTakes()) return id;
    const able = fallbacks.filter(({ maySendAs }) => maySendAs(message.from)).map((one) => ({
      ...one,
      isHealthy: one.isHealthy || !own.isHealthy && one.isHalfOpen && leftOf(one.id) > 0,
    }));
    // A message does not wait for one integration while another that works has room.
    const open = able.filter((one) => leftOf(one.id) > 0);
    const isOpen = open.some(({ isHealthy }) => isHealthy);
    return chooseIntegration(message, { own, fallbacks: own.isHealthy || isOpen ? open : able });
  }

  /** Returns whether another message shows just now whether a fallback is back that may send this one. */
  function isFallbackProbed({ from, unknownAttempts }: Routable): boolean {
    if (own === null || own.isPaused || unknownAttempts.length > 0) return false;
    return fallbacks.some(({ isHalfOpen, maySendAs }) => isHalfOpen && maySendAs(from));
  }

  const isStuck = (message: Routable) =>
    isStopped && choose(message) === id && !isFallbackProbed(message);
  const senders = [
    ...new Set(fallbacks.flatMap(({ senders }) => senders.map((one) => one.toLowerCase()))),
  ];
  return {
    ...{ id, integration, isFailedOver, isStopped, isStuck },
    inFlightElsewhere: fallbacks.reduce((sum, one) => sum + flow.inFlight(keyOf(one.id)), 0),
    routeFor(message) {
      const chosen = choose(message);
      return { id: chosen, left: leftOf(chosen) };
    },
    take: (chosen, messages) => left.set(keyOf(chosen), leftOf(chosen) - messages),
    mostLeft: () =>
      Math.max(leftOf(id), ...own?.isPaused ? [] : fallbacks.map((one) => leftOf(one.id))),
    elsewhere() {
      if (!isFailedOver || ownTakes()) return undefined;
      const byTaker = Map.groupBy(senders, (from) => choose({ ...FIRST_ATTEMPT, from }));
      return [...byTaker].map(([taker, senders]) => ({ senders, left: leftOf(taker) }))
        .filter(({ left }) => left > 0);
    },
    served: () => senders.filter((from) => !isStuck({ ...FIRST_ATTEMPT, from })),
  };
}
