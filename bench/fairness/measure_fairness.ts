import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type BenchSystem, openBenchSystem } from "../bench_system.ts";
import { openSink, type Sink } from "../sink_process.ts";
import type { FairnessResult } from "./fairness_report.ts";
import { type HealthyRound, measureHealthy } from "./measure_healthy.ts";
import { openNoisyServer } from "./noisy_server.ts";
import { queueNoise } from "./queue_noise.ts";
import { type Scenario, SCENARIOS } from "./scenarios.ts";

/** How to measure fairness. */
export interface FairnessOptions {
  env: Record<string, string | undefined>;
  /** Rounds of each scenario. */
  rounds: number;
  /** Factor on the noise and on the length of a round. */
  scale: number;
  /** Only scenarios with this in their name. */
  scenario: string;
  profileDir: string | undefined;
  say(line: string): void;
}

/** Mails of a round: at the shortest interval, 15 s. */
const MAILS = 300;
const WARM_UP_MAILS = 40;
const SHORTEST_INTERVAL_MS = 50;

/** The healthy account's PDFs take at most this share of what the system prints alone, on any machine. */
const PRINT_SHARE = 1 / 4;

const QUEUE_LIMIT_MS = 180_000;
const BETWEEN_ROUNDS_MS = 500;

interface Opened {
  system: BenchSystem;
  sink: Sink;
  options: FairnessOptions;
}

/** What the healthy account sends in each round of a system. */
interface Healthy {
  withPdfs: boolean;
  everyMs: number;
}

/**
 * Measures a healthy account's mail alone and beside each noise. Each scenario has a system of its own,
 * which is thrown away with its backlog; the quiet rounds of the next one are its control.
 */
export async function measureFairness(options: FairnessOptions): Promise<FairnessResult[]> {
  const results: FairnessResult[] = [];
  const scenarios = SCENARIOS.filter(({ name }) => name.includes(options.scenario));
  for (const [index, scenario] of scenarios.entries()) {
    options.say(`fairness: ${scenario.name}`);
    const result = await withSystem(options, (opened) => measureScenario(opened, scenario));
    const { healthyPdfs } = scenario;
    if (scenarios[index - 1]?.healthyPdfs === healthyPdfs) {
      results.at(-1)?.alone.push(...result.alone);
    }
    results.push(result);
    if (scenarios[index + 1]?.healthyPdfs === healthyPdfs) continue;
    const control = await withSystem(
      options,
      async (opened) => await measureRounds(opened, await warmUp(opened, healthyPdfs)),
    );
    result.alone.push(...control);
  }
  return results;
}

async function measureScenario(opened: Opened, scenario: Scenario): Promise<FairnessResult> {
  const { system, options: { scale, say } } = opened;
  const healthy = await warmUp(opened, scenario.healthyPdfs);
  const alone = await measureRounds(opened, healthy);
  await using server = await openNoisyServer(scenario.server);
  const noisy = await system.addAccount({
    ...{ name: "noisy", smtpPort: server.port, pages: 3 },
    ...(scenario.servers === undefined ? {} : { integrations: scenario.servers }),
  });
  const started = performance.now();
  const queued = await queueNoise(noisy, {
    messages: Math.round(scenario.messages * scale),
    recipientsPerRequest: scenario.recipientsPerRequest,
    withPdfs: scenario.noisyPdfs,
    first: FIRST_NOISY,
    limitMs: QUEUE_LIMIT_MS * scale,
  });
  say(`  ${queued} queued in ${Math.round((performance.now() - started) / 1000)} s`);
  const before = server.mails;
  const beside = await measureRounds(opened, healthy);
  say(`  ${before} noisy mails had arrived before, ${server.mails} after`);
  return { scenario: scenario.name, alone, beside, queued, arrived: server.mails };
}

/** Warms the system up, and decides how often the healthy account sends. */
async function warmUp(opened: Opened, withPdfs: boolean): Promise<Healthy> {
  const { system, options: { say } } = opened;
  const shortest = { withPdfs, everyMs: SHORTEST_INTERVAL_MS };
  // The first document starts the browser.
  await measureHealthy({ ...planOf(opened, shortest), mails: WARM_UP_MAILS });
  await system.untilQuiet();
  if (!withPdfs) return shortest;
  // All are due at the same moment, so the slowest takes as long as all.
  const together = planOf(opened, { withPdfs, everyMs: 0 });
  const { p99 } = await measureHealthy({ ...together, mails: WARM_UP_MAILS });
  await system.untilQuiet();
  const everyMs = Math.max(SHORTEST_INTERVAL_MS, p99 / WARM_UP_MAILS / PRINT_SHARE);
  say(`  a PDF every ${everyMs.toFixed()} ms`);
  return { withPdfs, everyMs };
}

async function measureRounds(opened: Opened, healthy: Healthy): Promise<HealthyRound[]> {
  const { rounds, say } = opened.options;
  const measured: HealthyRound[] = [];
  for (let round = 0; round < rounds; round++) {
    const result = await measureHealthy(planOf(opened, healthy));
    const { p50, p99, foreign } = result;
    say(
      `  p50 ${p50.toFixed()} ms, p99 ${p99.toFixed()} ms, others ${(foreign * 100).toFixed()} %`,
    );
    measured.push(result);
    await delay(BETWEEN_ROUNDS_MS);
  }
  return measured;
}

function planOf({ system, sink, options }: Opened, healthy: Healthy) {
  const mails = Math.round(MAILS * options.scale);
  return { account: system, sink, mails, ...healthy, takeNumbers };
}

/** Runs something on a system of its own, which is ended with all that it still has to do. */
async function withSystem<T>(
  options: FairnessOptions,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), "posthaste-bench-"));
  await using opened = new AsyncDisposableStack();
  opened.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  const sink = opened.use(await openSink());
  const system = opened.use(
    await openBenchSystem({
      env: options.env,
      dataDir,
      sinkPort: sink.port,
      profileDir: options.profileDir,
      withBudgets: true,
      onProgress: () => undefined,
    }),
  );
  // Before it is disposed: a mailer would wait for its slow server, and the backlog is nobody's.
  opened.defer(() => system.kill());
  return await work({ system, sink, options });
}

/** Numbers of recipients never come twice: their PDFs would be found in the store. */
const FIRST_NOISY = 1_000_000;
let nextNumber = 1;

function takeNumbers(count: number): number {
  nextNumber += count;
  return nextNumber - count;
}
