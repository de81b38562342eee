import {
  type EventData,
  MAX_EVENT_BYTES,
  MAX_RENDERS,
  type RenderReply,
} from "@posthaste/contracts";
import { type Asked, jsonBytes, splitBySize } from "@posthaste/messaging";
import { injectTrace, type TraceCarrier } from "@posthaste/telemetry";

/** A request to render one version with the variables of one request. */
export type RenderWish = Omit<EventData<"render.requested">, "others">;

/** What {@linkcode openRenderGroups} needs. */
export interface RenderGroupsDeps {
  /** Requests renders of one version, in one language; each set of variables has one answer. */
  ask(
    data: EventData<"render.requested">,
    options: { timeoutMs: number; count: number; traces: TraceCarrier[] },
  ): Asked<RenderReply>;
}

interface Waiting extends PromiseWithResolvers<RenderReply | undefined> {
  wish: RenderWish;
  trace: TraceCarrier;
  /** When it stops waiting, by `performance.now()`. */
  until: number;
}

/** The requests that wait for one version of a template. */
interface Group {
  waiting: Set<Waiting>;
  /** Events that the broker has not stored yet. */
  events: number;
  isPlanned: boolean;
}

const MAX_EVENTS = 2;

/**
 * Opens groups of requests for one version of a template. Requests that come while others are on
 * their way to the broker share an event; a request that is alone is sent immediately.
 *
 * @returns A function that requests a render. It resolves to `undefined` if no renderer answers in
 * time, and rejects if the broker does not accept the request.
 */
export function openRenderGroups(
  { ask }: RenderGroupsDeps,
): (wish: RenderWish, options: { timeoutMs: number }) => Promise<RenderReply | undefined> {
  const groups = new Map<string, Group>();

  function plan(key: string, group: Group): void {
    if (group.isPlanned || group.events >= MAX_EVENTS) return;
    if (group.waiting.size === 0) {
      if (group.events === 0) groups.delete(key);
      return;
    }
    group.isPlanned = true;
    setImmediate(() => {
      group.isPlanned = false;
      void send(key, group);
    });
  }

  async function send(key: string, group: Group): Promise<void> {
    const together = takeFrom(group.waiting);
    const [first, ...others] = together;
    if (first === undefined) return plan(key, group);
    const variables = others.map(({ wish }) => wish.variables);
    const until = Math.max(...together.map((entry) => entry.until));
    let asked: Asked<RenderReply>;
    try {
      asked = ask(
        variables.length === 0 ? first.wish : { ...first.wish, others: variables },
        {
          timeoutMs: Math.max(1, until - performance.now()),
          count: together.length,
          traces: together.map(({ trace }) => trace),
        },
      );
    } catch (error) {
      for (const { reject } of together) reject(error);
      return plan(key, group);
    }
    group.events++;
    for (const [position, { resolve, reject }] of together.entries()) {
      asked.answers[position]?.then(resolve, reject);
    }
    // The answers report the failure.
    await asked.stored.catch(() => undefined);
    group.events--;
    plan(key, group);
  }

  return (wish, { timeoutMs }) => {
    const { accountId, templateId, version, locale = "" } = wish;
    const key = `${accountId}/${templateId}/${version}/${locale}`;
    const group = groups.get(key) ?? { waiting: new Set(), events: 0, isPlanned: false };
    groups.set(key, group);
    const until = performance.now() + timeoutMs;
    const entry: Waiting = {
      wish,
      trace: injectTrace(),
      until,
      ...Promise.withResolvers<RenderReply | undefined>(),
    };
    group.waiting.add(entry);
    // While the broker accepts nothing, a request that has waited too long is dropped, not rendered
    // later.
    const timer = setTimeout(() => {
      group.waiting.delete(entry);
      entry.resolve(undefined);
    }, timeoutMs);
    plan(key, group);
    return entry.promise.finally(() => clearTimeout(timer));
  };
}

/** Takes as many requests from the front as fit into one event. */
function takeFrom(waiting: Set<Waiting>): Waiting[] {
  const first = waiting.values().take(MAX_RENDERS).toArray();
  const [taken = []] = splitBySize(first, {
    maxCount: MAX_RENDERS,
    maxBytes: MAX_EVENT_BYTES,
    sizeOf: ({ wish }) => jsonBytes(wish),
  });
  for (const entry of taken) waiting.delete(entry);
  return taken;
}
