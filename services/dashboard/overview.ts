import type { TimelineEntry } from "@posthaste/contracts";
import type { Bus } from "@posthaste/messaging";
import type { StorePart } from "@posthaste/storage";
import type {
  CountsView,
  DurationView,
  OverviewRange,
  OverviewView,
  StageView,
} from "./interface/overview.ts";
import { attentionOf } from "./overview_attention.ts";

/** What an overview needs. */
export interface OverviewDeps {
  store: StorePart<
    | "sends.list"
    | "messages.groupReasons"
    | "messages.oldestWaiting"
    | "messages.newestTimelines"
    | "statistics.list"
    | "templates.list"
    | "integrations.list"
    | "circuits.list"
    | "tokens.list"
  >;
  bus: Pick<Bus, "streamStates" | "queueStates">;
  now(): Date;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const RANGE_MS = { "24h": 24 * HOUR_MS, "7d": 168 * HOUR_MS, "30d": 720 * HOUR_MS };

/** Time zones differ by quarters of an hour: buckets of this width fit into the days of all of them. */
const QUARTER_MS = 15 * MINUTE_MS;

const TIMELINES = 500;

const STREAM_OF = { render: "RENDER", print: "PRINT", mail: "MAIL" } as const;
const STAGES = Object.keys(STREAM_OF) as StageView["stage"][];
const STAGE_OF = { rendered: "render", printed: "print", sent: "mail" } as const;

/** Returns an account's counts, queues, and problems that need attention. */
export async function overviewOf(
  accountId: string,
  range: OverviewRange,
  deps: OverviewDeps,
): Promise<OverviewView> {
  const { store } = deps;
  const now = deps.now();
  const from = new Date(now.getTime() - RANGE_MS[range]);
  const endedFrom = new Date(now.getTime() - HOUR_MS);
  const recent = { states: ["failed", "unknown"], endedFrom } as const;
  const [buckets, causes, oldest, timelines, stages, known] = await Promise.all([
    store.statistics.list(accountId, { from, until: now }),
    store.messages.groupReasons(accountId, {
      ...recent,
      from: new Date(now.getTime() - 144 * HOUR_MS),
    }),
    store.messages.oldestWaiting(accountId),
    store.messages.newestTimelines(accountId, TIMELINES),
    stagesOf(deps),
    lookAround(accountId, store),
  ]);
  const { integrations, circuits, emails, pdfs, tokens, sends } = known;
  const templates = [...emails, ...pdfs];
  const live = tokens.filter(({ revokedAt, expiresAt }) =>
    revokedAt === null && (expiresAt === null || expiresAt > now)
  );
  return {
    at: now.toISOString(),
    counts: countsOf(buckets, range),
    stages,
    durations: durationsOf(timelines),
    attention: attentionOf({ integrations, circuits, causes, oldest, tokens, templates, now }),
    causes,
    setup: [
      { step: "integration", isDone: integrations.length > 0 },
      {
        step: "template",
        isDone: emails.some(({ publishedVersion }) => publishedVersion !== null),
      },
      { step: "token", isDone: live.length > 0 },
      { step: "mail", isDone: sends.length > 0 },
    ],
  };
}

async function lookAround(accountId: string, store: OverviewDeps["store"]) {
  const [integrations, circuits, emails, pdfs, tokens, sends] = await Promise.all([
    store.integrations.list(accountId),
    store.circuits.list(),
    store.templates.list(accountId, "email"),
    store.templates.list(accountId, "pdf"),
    store.tokens.list(accountId),
    store.sends.list(accountId, { limit: 1 }),
  ]);
  return { integrations, circuits, emails, pdfs, tokens, sends };
}

/** Sums buckets to quarters of an hour if 5 minutes would be too many. */
export function countsOf(
  buckets: readonly (Omit<CountsView, "at"> & { at: Date })[],
  range: OverviewRange,
): CountsView[] {
  const widthMs = range === "24h" ? 1 : QUARTER_MS;
  const merged = new Map<number, CountsView>();
  for (const { at: when, accepted, sent, failed, deferred, unknown } of buckets) {
    const begin = Math.floor(when.getTime() / widthMs) * widthMs;
    const at = new Date(begin).toISOString();
    const sum = merged.get(begin) ??
      { at, accepted: 0, sent: 0, failed: 0, deferred: 0, unknown: 0 };
    merged.set(begin, {
      at,
      accepted: sum.accepted + accepted,
      sent: sum.sent + sent,
      failed: sum.failed + failed,
      deferred: sum.deferred + deferred,
      unknown: sum.unknown + unknown,
    });
  }
  return [...merged.values()];
}

async function stagesOf({ bus }: OverviewDeps): Promise<StageView[]> {
  const [streams, queues] = await Promise.all([
    bus.streamStates(),
    bus.queueStates(Object.values(STREAM_OF)),
  ]);
  return STAGES.map((stage) => {
    const stream = STREAM_OF[stage];
    const state = streams.get(stream);
    const own = queues.filter((queue) => queue.stream === stream);
    const inFlight = own.reduce((sum, queue) => sum + queue.inFlight, 0);
    const waiting = own.reduce((sum, queue) => sum + queue.waiting, 0);
    return { stage, waiting, inHand: inFlight, oldestAt: state?.oldestAt?.toISOString() ?? null };
  });
}

/** Returns the median and the 95th percentile of each stage's work, the slowest first. */
export function durationsOf(timelines: readonly TimelineEntry[][]): DurationView[] {
  const byStage = new Map<DurationView["stage"], number[]>();
  for (const { type, durationMs } of timelines.flat()) {
    const stage = Object.hasOwn(STAGE_OF, type) ? STAGE_OF[type as keyof typeof STAGE_OF] : null;
    if (stage === null || durationMs === undefined) continue;
    const known = byStage.get(stage) ?? [];
    byStage.set(stage, known);
    known.push(durationMs);
  }
  return [...byStage].map(([stage, all]) => {
    const sorted = all.toSorted((a, b) => a - b);
    return {
      stage,
      count: sorted.length,
      p50Ms: rankOf(sorted, 0.5),
      p95Ms: rankOf(sorted, 0.95),
    };
  }).toSorted((a, b) => b.p95Ms - a.p95Ms);
}

function rankOf(sorted: number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
