import { chooseIntegration, type EarlierAttempts } from "@posthaste/delivery";
import type { SenderCandidate } from "./candidate.ts";

/** A message that needs a route. */
export interface Routable extends EarlierAttempts {
  /** Its sender address. */
  from: string;
}

/** A first attempt: nothing is known of it. */
export const FIRST_ATTEMPT: Routable = { from: "", unknownAttempts: [], unreached: null };

/** How many more messages integrations of an account may take in a round. */
export interface Capacities {
  of(id: number): number;
  take(id: number, messages: number): void;
}

/** The integrations that may send the mail of one integration. */
export interface RouteView {
  /** Number of the integration of the mail. */
  id: number;
  /** The integration of the mail. `isPaused`: a person has paused it. Null if it does not exist any more. */
  own: (SenderCandidate & { isPaused: boolean }) | null;
  /** In the order of its list. */
  fallbacks: readonly SenderCandidate[];
  capacities: Capacities;
}

/** The integrations that may send the mail of one integration, and how many messages each may take in this round. */
export interface Routes {
  /** Number of the integration of the mail. */
  id: number;
  /** Whether its fallbacks may send its mail now: it is not healthy, and no person has paused it. */
  isFailedOver: boolean;
  /** Whether it takes no mail itself now: it is suspended, or its server was unreachable just now. */
  isStopped: boolean;
  /** Returns which integration makes the next attempt of a message, and how many more it may take now. */
  routeFor(message: Routable): { id: number; left: number };
  /** Counts messages that an integration takes. */
  take(id: number, messages: number): void;
  /** Returns how many more messages the integration of the mail may take now. */
  ownLeft(): number;
  /** Returns the largest number of messages that any of them may take now. */
  mostLeft(): number;
  /** Returns what each of the others may take now. Undefined if the mail is not divided by sender. */
  elsewhere(): Share[] | undefined;
  /**
   * Returns whether none takes a message, and not for lack of capacity. Then it fails when it has waited for its maximum
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

/** Returns the routes of the mail of an integration. */
export function routesOf({ id, own, fallbacks, capacities }: RouteView): Routes {
  const isFailedOver = own !== null && !own.isPaused && fallbacks.length > 0 && !own.isHealthy;
  const isStopped = own !== null && !own.isHealthy && !own.isHalfOpen;
  const senders = [
    ...new Set(fallbacks.flatMap(({ senders }) => senders.map((one) => one.toLowerCase()))),
  ];
  const leftOf = (one: number) => capacities.of(one);
  /** One message shows whether its server is back. */
  const isProbed = () => own?.isHalfOpen === true && leftOf(id) > 0;

  function choose(message: Routable): number {
    if (own === null || fallbacks.length === 0 || isProbed()) return id;
    const able = fallbacks.filter(({ maySendAs }) => maySendAs(message.from));
    const withCapacity = able.filter((one) => leftOf(one.id) > 0);
    if (own.isHealthy) return chooseIntegration(message, { own, fallbacks: withCapacity });
    // One message may also show whether the server of a fallback is back.
    const ready = withCapacity.filter((one) => one.isHealthy || one.isHalfOpen)
      .map((one) => ({ ...one, isHealthy: true }));
    // It does not wait for one integration while another that works has capacity.
    return chooseIntegration(message, { own, fallbacks: ready.length > 0 ? ready : able });
  }

  /** Returns whether a fallback that may send this message is being probed by another one. */
  function isFallbackProbed({ from, unknownAttempts }: Routable): boolean {
    if (own === null || own.isPaused || unknownAttempts.length > 0) return false;
    return fallbacks.some(({ isHalfOpen, maySendAs }) => isHalfOpen && maySendAs(from));
  }

  const isStuck = (message: Routable) =>
    isStopped && choose(message) === id && !isFallbackProbed(message);

  return {
    ...{ id, isFailedOver, isStopped, isStuck },
    routeFor(message) {
      const chosen = choose(message);
      return { id: chosen, left: leftOf(chosen) };
    },
    ownLeft: () => leftOf(id),
    take: (chosen, messages) => capacities.take(chosen, messages),
    mostLeft() {
      const others = own?.isPaused ? [] : fallbacks;
      return Math.max(leftOf(id), ...others.map((one) => leftOf(one.id)));
    },
    elsewhere() {
      if (!isFailedOver || isProbed()) return undefined;
      const byTaker = Map.groupBy(senders, (from) => choose({ ...FIRST_ATTEMPT, from }));
      return [...byTaker].map(([taker, senders]) => ({ senders, left: leftOf(taker) }))
        .filter(({ left }) => left > 0);
    },
    served: () => senders.filter((from) => !isStuck({ ...FIRST_ATTEMPT, from })),
  };
}
