import { Agent } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { BenchAccount } from "../bench_account.ts";
import { monotonicMs, type Sink } from "../sink_process.ts";
import { percentiles } from "../statistics.ts";
import { sendBody } from "../workload.ts";
import { watchLoad } from "./foreign_load.ts";
import { postJson } from "./post_json.ts";

/** One round of a healthy account's mail. */
export interface HealthyRound {
  p50: number;
  p99: number;
  mails: number;
  /** Mails that were refused, or did not arrive in time: they count with the time that was waited. */
  missing: number;
  /** The share of the machine that others used meanwhile. */
  foreign: number;
}

/** What the healthy account sends. */
export interface HealthyPlan {
  account: BenchAccount;
  sink: Sink;
  mails: number;
  /** Time from one mail to the next, in milliseconds. */
  everyMs: number;
  withPdfs: boolean;
  takeNumbers(count: number): number;
}

const ARRIVE_LIMIT_MS = 15_000;
const CONNECTIONS = 64;

/**
 * Sends mails at equal intervals, however long the answers take, and measures from the moment at which each
 * was due to its arrival.
 */
export async function measureHealthy(plan: HealthyPlan): Promise<HealthyRound> {
  const { account, sink, mails, everyMs, withPdfs } = plan;
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const first = plan.takeNumbers(mails);
  const due: number[] = [];
  const posts: Promise<unknown>[] = [];
  await sink.reset();
  using load = watchLoad();
  const started = monotonicMs();
  try {
    for (let mail = 0; mail < mails; mail++) {
      const at = started + mail * everyMs;
      await delay(Math.max(0, at - monotonicMs()));
      due.push(at);
      const invoice = withPdfs ? "each" : "none";
      const body = JSON.stringify(
        sendBody({ first: first + mail, count: 1, invoice, pdfId: account.pdfId }),
      );
      posts.push(
        postJson({ ...account, url: account.sendUrl, body, agent }).catch(() => undefined),
      );
    }
    const deadline = monotonicMs() + ARRIVE_LIMIT_MS;
    while (await sink.count() < mails && monotonicMs() < deadline) await delay(20);
    return { ...await rate(sink, { due, first }), foreign: load.foreign() };
  } finally {
    agent.destroy();
    await Promise.all(posts);
  }
}

async function rate(
  sink: Sink,
  { due, first }: { due: number[]; first: number },
): Promise<Omit<HealthyRound, "foreign">> {
  const arrivals = new Map<number, number>();
  for (const [line, at] of await sink.stamps()) {
    arrivals.set(Number(/customer-(\d+)@/.exec(line)?.[1]), at);
  }
  const now = monotonicMs();
  const latencies = due.map((at, mail) => (arrivals.get(first + mail) ?? now) - at);
  const missing = due.filter((_, mail) => !arrivals.has(first + mail)).length;
  const { p50, p99 } = percentiles(latencies);
  return { p50, p99, mails: due.length, missing };
}
