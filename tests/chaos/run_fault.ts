import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { awaitQuiet, describeHealth, readQuietBroker, readQuietFeed } from "./await_quiet.ts";
import { makeAccount, type RunAccount, SENDER } from "./fixture/account.ts";
import { openFeedReader } from "./load/feed_reader.ts";
import { openClient } from "./load/client_process.ts";
import { openEavesdropper } from "./records/eavesdrop.ts";
import type { Chaos, Fault, FaultCheck } from "./faults/fault.ts";
import { findLeaks } from "./records/find_leaks.ts";
import { readJournal } from "./records/journal.ts";
import type { ClientLine, SinkLine } from "./records/records.ts";
import { USUAL_MIX } from "./load/orders.ts";
import { MASTER_SECRET } from "./fixture/pods.ts";
import { openRandom } from "./random.ts";
import { readServiceLedger } from "./records/read_records.ts";
import {
  countStarved,
  type Figures,
  reconcile,
  type Records,
  type Violation,
} from "./records/reconcile.ts";
import { readResidue } from "./records/residue.ts";
import type { Fixture } from "./fixture/fixture.ts";
import { canaryOf, searchFor, withoutSecrets } from "./records/secret.ts";
import { openSink, type Sink } from "./load/sink_process.ts";

/** Options of one run of a fault. */
export interface RunOptions {
  fault: Fault;
  /** Names the run in addresses: letters, digits and dashes. */
  run: string;
  seed: string;
  messages: number;
  /** The mails are requested evenly over this time. */
  seconds: number;
  /** Additional time for late mails, in seconds, which distinguishes them from endless ones. @default {30} */
  quietSeconds?: number;
  /** Called with a line about the progress. */
  onProgress?(line: string): void;
}

/** The result of one run. */
export interface RunResult extends Figures {
  fault: string;
  run: string;
  seed: string;
  crashes: number;
  /** How often each service, or each failpoint, was ended. */
  crashedAt: Record<string, number>;
  /** Faults injected that ended no process, at the receiving server or elsewhere. */
  injected: number;
  /** Why nothing was tested: this machine does not permit it, or the load ended before the fault came. */
  skipped?: string;
  /** Notes of the fault beside the results. */
  notes: string[];
  /** From the end of the last fault to the end of the last mail; infinite if one did not end. */
  lastEndSeconds: number;
  /** The longest that this may be, by the settings. */
  boundSeconds: number;
  seconds: number;
  problems: Violation[];
}

/** Runs one fault under load on a running system, waits for quiet and compares the records. */
export async function runFault(fixture: Fixture, options: RunOptions): Promise<RunResult> {
  const { fault, run, seed, messages, seconds, onProgress } = options;
  const started = performance.now();
  const folder = join(fixture.dataDir, run);
  await mkdir(folder);
  await using opened = new AsyncDisposableStack();
  const files = { client: join(folder, "client.jsonl"), sink: join(folder, "sink.jsonl") };
  const user = fault.secure ? { name: "chaos", password: canaryOf(seed) } : undefined;
  const secrets = [MASTER_SECRET];
  if (user) secrets.push({ name: "the SMTP password", value: user.password });
  fixture.pods.guard(secrets);
  const sink = opened.use(
    await openSink({ journal: files.sink, seed: `${seed}/sink`, user, secrets }),
  );
  const client = opened.use(await openClient());
  const whenUnknown = fault.whenUnknown ?? "retry";
  const account = await makeAccount(fixture.store, {
    ...{ run, sinkPort: sink.port, whenUnknown, user },
    connections: connectionsOf(fault),
  });
  secrets.push({ name: "the access token", value: account.token });
  fixture.pods.guard(secrets);
  const search = searchFor(secrets);
  const eavesdropper = opened.use(await openEavesdropper(fixture.natsUrl, search));
  const reader = opened.use(openFeedReader(account.token));
  fixture.onApis((apis) => {
    client.use(apis);
    reader.use(apis.map(({ url }) => url));
  });
  opened.defer(() => fixture.onApis(() => {}));
  const marks = {
    interruptions: fixture.pods.interruptions.length,
    deaths: fixture.deaths.length + fixture.pods.deaths.length,
    leaks: fixture.pods.leaks.size,
  };
  await sink.behave(fault.smtp ?? [], thinksMsOf(options));

  const counts: Counts = { crash: {}, other: {} };
  const blamed: Violation[] = [];
  const notes: string[] = [];
  const over = new AbortController();
  const begun = performance.now();
  const chaos = chaosOf({
    ...{ fixture, account, sink, counts, blamed, notes, run, seconds, seed },
    signal: over.signal,
  });
  const load = client.run({
    run,
    seed: `${seed}/client`,
    messages,
    seconds,
    backlog: fault.backlog ?? 0,
    connections: 8,
    mix: fault.mix ?? USUAL_MIX,
    path: account.path,
    token: account.token,
    from: SENDER,
    pdfId: account.pdfId,
    secrets,
    journal: files.client,
  }).finally(() => over.abort());
  // Requests without an answer by then never get one.
  const enough = setTimeout(
    () => client.stop(),
    seconds * 4000 + PATIENCE_MS + (fault.lastsMs ?? 0),
  );
  const watch = setInterval(
    () => onProgress?.(`${fault.name}: ${client.totals.accepted} accepted`),
    2000,
  );
  let check: FaultCheck | void;
  try {
    [, check] = await Promise.all([load, fault.run?.(chaos), disturb(chaos)]);
  } finally {
    clearInterval(watch);
    clearTimeout(enough);
  }
  await sink.behave([], 0);
  const quiet = await awaitQuiet(fixture, {
    accountId: account.accountId,
    hold: whenUnknown === "hold",
    faultsMs: performance.now() - begun,
    quietMs: (options.quietSeconds ?? 30) * 1000,
    onProgress: (line) => onProgress?.(`${fault.name}: ${line}`),
  });
  const service = await readServiceLedger(fixture.mongo, account.accountId);
  const feed = await readQuietFeed(fixture, account.accountId, service);
  await check?.(feed);
  const read = { events: await reader.readTo(feed.length), refusals: reader.refusals };
  // It must not count as an open connection.
  await reader[Symbol.asyncDispose]();
  const [broker, residue, totals, leaks] = await Promise.all([
    readQuietBroker(fixture),
    readResidue(fixture),
    sink.totals(),
    findLeaks(fixture, { accountId: account.accountId, search }),
  ]);
  const records: Records = {
    client: readJournal<ClientLine>(files.client),
    sink: readJournal<SinkLine>(files.sink),
    service,
    broker,
    feed,
    read,
    quiet,
    residue: { ...residue, deaths: residue.deaths.slice(marks.deaths) },
    interruptions: fixture.pods.interruptions.slice(marks.interruptions),
    leaks: [...leaks, ...eavesdropper.leaks, ...[...fixture.pods.leaks].slice(marks.leaks)],
  };
  const { figures, problems } = reconcile(records, {
    unanswered: fault.unanswered ?? false,
    hold: whenUnknown === "hold",
    memoryMb: 600,
    ...(fault.mayFail === undefined ? {} : { mayFail: fault.mayFail }),
  });
  problems.push(...blamed);
  const starved = countStarved(records.client);
  if (starved > 0) notes.push(`${starved} refusals came late, for want of a processor`);
  // A cut in the middle of a mail may come late, when its final dot has come.
  if (!fault.leavesUnknown && figures.duplicates > figures.ambiguous) {
    problems.push({
      invariant: "I3",
      what: "Mail came twice, and no outcome was unknown",
    });
  }
  if (eavesdropper.heard === 0) {
    problems.push({ invariant: "I7", what: "Nobody listened to the broker" });
  }
  // Late mail has lines of its own; the health of the services helps to find the reason.
  if (quiet.lastMs === undefined) onProgress?.(`${fault.name}: ${await describeHealth(fixture)}`);
  const crashes = sumOf(counts.crash);
  const injected = sumOf(counts.other) + totals.injected;
  const isFaultless = crashes + injected === 0 && isHarmful(fault);
  return {
    ...figures,
    fault: fault.name,
    run,
    seed,
    crashes,
    crashedAt: counts.crash,
    injected,
    notes,
    lastEndSeconds: secondsOf(quiet.lastMs ?? Infinity),
    boundSeconds: secondsOf(quiet.boundMs),
    seconds: secondsOf(performance.now() - started),
    ...(isFaultless && problems.length === 0 ? { skipped: "no fault came while it had load" } : {}),
    problems: problems.map(({ invariant, what }) => ({
      invariant,
      what: withoutSecrets(what, secrets),
    })),
  };
}

/** Returns whether a fault does anything: beside some, there is one that does nothing, for comparison. */
function isHarmful({ run, smtp }: Fault): boolean {
  return run !== undefined || smtp !== undefined;
}

const PATIENCE_MS = 60_000;

function secondsOf(ms: number): number {
  return Math.round(ms / 100) / 10;
}

function connectionsOf({ connections, backlog }: Fault): number {
  return connections ?? (backlog === undefined ? 20 : BACKLOG_CONNECTIONS);
}

/** A server that has just taken the last mail when the last one is asked for has a backlog until then. */
function thinksMsOf({ fault, messages, seconds }: RunOptions): number {
  if (fault.backlog === undefined) return fault.thinksMs ?? 5;
  const ms = Math.round(BACKLOG_CONNECTIONS * seconds * 1000 / messages);
  return Math.min(Math.max(ms, 5), MAX_THINKING_MS);
}

const BACKLOG_CONNECTIONS = 4;

/** Twice that is still less than the mailer waits for a reply. */
const MAX_THINKING_MS = 800;

type Counts = Record<"crash" | "other", Record<string, number>>;

function sumOf(counts: Record<string, number>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Returns the result of a skipped run. */
export function notDone({ fault, run, seed }: RunOptions, reason: string): RunResult {
  return { ...NOTHING, fault: fault.name, run, seed, skipped: reason, problems: [] };
}

const NOTHING = {
  ...{ accepted: 0, sent: 0, failed: 0, unknown: 0, duplicates: 0, ambiguous: 0 },
  ...{ lost: 0, invented: 0, crashes: 0, crashedAt: {}, injected: 0, seconds: 0 },
  ...{ notes: [], lastEndSeconds: 0, boundSeconds: 0 },
};

/** Returns the result of an aborted run, which is never good. */
export function brokenOff({ fault, run, seed }: RunOptions, error: unknown): RunResult {
  const reason = error instanceof Error ? error.stack ?? error.message : String(error);
  return {
    ...NOTHING,
    fault: fault.name,
    run,
    seed,
    problems: [{ invariant: "I0", what: `The run broke off: ${reason}` }],
  };
}

interface ChaosParts {
  fixture: Fixture;
  account: RunAccount;
  sink: Sink;
  counts: Counts;
  blamed: Violation[];
  notes: string[];
  signal: AbortSignal;
  seed: string;
  run: string;
  seconds: number;
}

function chaosOf({ sink, counts, blamed, notes, seed, ...parts }: ChaosParts): Chaos {
  const { signal } = parts;
  return {
    ...parts,
    random: openRandom(`${seed}/chaos`),
    count(kind, what) {
      counts[kind][what] = (counts[kind][what] ?? 0) + 1;
    },
    note: (text) => void notes.push(text),
    blame: (invariant, what) => void blamed.push({ invariant, what }),
    behave: (faults, thinksMs) => sink.behave(faults, thinksMs),
    heal: () => sink.behave([], 0),
    taken: async () => (await sink.totals()).taken,
    async pause(ms) {
      await delay(ms, undefined, { signal }).catch(() => undefined);
      return !signal.aborted;
    },
  };
}

const EDIT_EVERY_MS = 3000;

/** Edits templates during the fault, as people do. */
async function disturb({ account, pause }: Chaos): Promise<void> {
  // While the database is away nothing can be done, and nothing is lost by that.
  while (await pause(EDIT_EVERY_MS)) await account.edit().catch(() => undefined);
}
