import {
  type EventData,
  MAX_EVENT_BYTES,
  MAX_RENDERS,
  type RenderReply,
} from "@posthaste/contracts";
import type { Asked } from "@posthaste/messaging";

/** A wish to render one version with the variables of one request. */
export type RenderWish = Omit<EventData<"render.requested">, "others">;

/** What {@linkcode openRenderGroups} needs. */
export interface RenderGroupsDeps {
  /** Asks for renders of one version; as many answers come as there are variables. */
  ask(
    data: EventData<"render.requested">,
    options: { timeoutMs: number; count: number },
  ): Asked<RenderReply>;
}

interface Waiting extends PromiseWithResolvers<RenderReply | undefined> {
  wish: RenderWish;
  timeoutMs: number;
}

/** What waits for one version of a template. */
interface Group {
  waiting: Waiting[];
  /** Events that the broker has not stored yet. */
  events: number;
  isPlanned: boolean;
}

const MAX_EVENTS = 2;

/**
 * Opens groups of requests for one version of a template: those that come while others are on their way to
 * the broker share an event. Alone, a request goes out at once.
 *
 * @returns Asks for a render. Resolves to `undefined` when no renderer answers in time, and rejects when the
 * broker does not take the request.
 */
export function openRenderGroups(
  { ask }: RenderGroupsDeps,
): (wish: RenderWish, options: { timeoutMs: number }) => Promise<RenderReply | undefined> {
  const groups = new Map<string, Group>();

  function plan(key: string, group: Group): void {
    if (group.isPlanned || group.events >= MAX_EVENTS) return;
    if (group.waiting.length === 0) {
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
    if (first === undefined) return;
    group.events++;
    const variables = others.map(({ wish }) => wish.variables);
    const { answers, stored } = ask(
      variables.length === 0 ? first.wish : { ...first.wish, others: variables },
      { timeoutMs: first.timeoutMs, count: together.length },
    );
    for (const [position, { resolve, reject }] of together.entries()) {
      answers[position]?.then(resolve, reject);
    }
    // The answers report the failure.
    await stored.catch(() => undefined);
    group.events--;
    plan(key, group);
  }

  return (wish, { timeoutMs }) => {
    const key = `${wish.accountId}/${wish.templateId}/${wish.version}`;
    const group = groups.get(key) ?? { waiting: [], events: 0, isPlanned: false };
    groups.set(key, group);
    const entry = { wish, timeoutMs, ...Promise.withResolvers<RenderReply | undefined>() };
    group.waiting.push(entry);
    plan(key, group);
    return entry.promise;
  };
}

/** Takes as many from the front as one event holds. */
function takeFrom(waiting: Waiting[]): Waiting[] {
  let bytes = 0;
  let count = 0;
  for (const { wish } of waiting) {
    bytes += Buffer.byteLength(JSON.stringify(wish));
    if (count > 0 && (count === MAX_RENDERS || bytes > MAX_EVENT_BYTES)) break;
    count++;
  }
  return waiting.splice(0, count);
}
