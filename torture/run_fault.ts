import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { makeAccount, type RunAccount, SENDER } from "./rig/account.ts";
import { openClient } from "./load/client_process.ts";
import { openEavesdropper } from "./ledgers/eavesdrop.ts";
import type { Chaos, Fault } from "./faults/fault.ts";
import { findLeaks } from "./ledgers/find_leaks.ts";
import { readJournal } from "./ledgers/journal.ts";
import type { BrokerLedger, ClientLine, SinkLine } from "./ledgers/ledgers.ts";
import { USUAL_MIX } from "./load/orders.ts";
import { MASTER_SECRET } from "./rig/pods.ts";
import { openRandom } from "./random.ts";
import {
  countStates,
  endWaits,
  readBrokerLedger,
  readServiceLedger,
} from "./ledgers/read_ledgers.ts";
import { type Figures, type Ledgers, type Problem, reconcile } from "./ledgers/reconcile.ts";
import { readResidue } from "./ledgers/residue.ts";
import type { Rig } from "./rig/rig.ts";
import { canaryOf, searchFor, withoutSecrets } from "./ledgers/secret.ts";
import { openSink, type Sink } from "./load/sink_process.ts";

/** How much is done in one run of a fault. */
export interface RunOptions {
  fault: Fault;
  /** Names the run in addresses: letters, digits and dashes. */
  run: string;
  seed: string;
  messages: number;
  /** The mails are asked for evenly over this time. */
  seconds: number;
  /** Longest wait afterwards for the next message to be done, in seconds. @default {120} */
  quietSeconds?: number;
  /** Told in a line how it goes. */
  onProgress?(line: string): void;
}

/** What came of one run. */
export interface RunResult extends Figures {
  fault: string;
  run: string;
  seed: string;
  crashes: number;
  /** How often each service, or each crash point, was ended. */
  crashedAt: Record<string, number>;
  /** Faults injected that ended no process, at the receiving server or elsewhere. */
  injected: number;
  /** Why it was not done at all, where this machine does not allow it. */
  skipped?: string;
  seconds: number;
  problems: Problem[];
}

/** Runs one fault under load on a running system, waits for quiet and compares the ledgers. */
export async function runFault(rig: Rig, options: RunOptions): Promise<RunResult> {
  const { fault, run, seed, messages, seconds, onProgress } = options;
  const started = performance.now();
  const folder = join(rig.dataDir, run);
  await mkdir(folder);
  await using opened = new AsyncDisposableStack();
  const files = { client: join(folder, "client.jsonl"), sink: join(folder, "sink.jsonl") };
  const user = fault.secure ? { name: "torture", password: canaryOf(seed) } : undefined;
  const secrets = [MASTER_SECRET];
  if (user) secrets.push({ name: "the SMTP password", value: user.password });
  rig.pods.guard(secrets);
  const sink = opened.use(
    await openSink({ journal: files.sink, seed: `${seed}/sink`, user, secrets }),
  );
  const client = opened.use(await openClient());
  const whenUnknown = fault.whenUnknown ?? "retry";
  const account = await makeAccount(rig.store, {
    ...{ run, sinkPort: sink.port, whenUnknown, user },
    connections: fault.connections ?? 20,
  });
  secrets.push({ name: "the access token", value: account.token });
  rig.pods.guard(secrets);
  const search = searchFor(secrets);
  const eavesdropper = opened.use(await openEavesdropper(rig.natsUrl, search));
  rig.onApis((urls) => client.use(urls));
  opened.defer(() => rig.onApis(() => {}));
  const marks = {
    interruptions: rig.pods.interruptions.length,
    deaths: rig.deaths.length + rig.pods.deaths.length,
    leaks: rig.pods.leaks.size,
  };
  await sink.behave(fault.smtp ?? [], fault.thinksMs ?? 5);

  const counts: Counts = { crash: {}, other: {} };
  const over = new AbortController();
  const chaos = chaosOf({ rig, account, sink, counts, signal: over.signal, seed });
  const load = client.run({
    run,
    seed: `${seed}/client`,
    messages,
    seconds,
    connections: 8,
    mix: fault.mix ?? USUAL_MIX,
    path: account.path,
    token: account.token,
    from: SENDER,
    pdfId: account.pdfId,
    secrets,
    journal: files.client,
  }).finally(() => over.abort());
  // What no answer comes to by then never gets any.
  const enough = setTimeout(
    () => client.stop(),
    seconds * 4000 + PATIENCE_MS + (fault.lastsMs ?? 0),
  );
  const watch = setInterval(
    () => onProgress?.(`${fault.name}: ${client.totals.accepted} accepted`),
    2000,
  );
  try {
    await Promise.all([load, fault.run?.(chaos), disturb(chaos)]);
  } finally {
    clearInterval(watch);
    clearTimeout(enough);
  }
  await sink.behave([], 0);
  const quiet = await untilQuiet(rig, { account, hold: whenUnknown === "hold", ...options });
  const [service, broker, residue, totals, leaks] = await Promise.all([
    readServiceLedger(rig.mongo, account.accountId),
    readQuietBroker(rig),
    readResidue(rig),
    sink.totals(),
    findLeaks(rig, { accountId: account.accountId, search }),
  ]);
  const ledgers: Ledgers = {
    client: readJournal<ClientLine>(files.client),
    sink: readJournal<SinkLine>(files.sink),
    service,
    broker,
    residue: { ...residue, deaths: residue.deaths.slice(marks.deaths) },
    interruptions: rig.pods.interruptions.slice(marks.interruptions),
    leaks: [...leaks, ...eavesdropper.leaks, ...[...rig.pods.leaks].slice(marks.leaks)],
  };
  const { figures, problems } = reconcile(ledgers, {
    unanswered: fault.unanswered ?? false,
    hold: whenUnknown === "hold",
    memoryMb: 600,
    ...(fault.mayFail === undefined ? {} : { mayFail: fault.mayFail }),
  });
  // A cut in the middle of a mail may come late, when its final dot has come.
  if (!fault.doubtful && figures.duplicates > figures.ambiguous) {
    problems.push({ invariant: "I3", what: "Mail came twice, and no mailer was in doubt" });
  }
  if (eavesdropper.heard === 0) {
    problems.push({ invariant: "I7", what: "Nobody listened to the broker" });
  }
  if (!quiet) {
    const what = `It did not become quiet in time: ${await describeHealth(rig)}`;
    problems.push({ invariant: "I1", what });
  }
  return {
    ...figures,
    fault: fault.name,
    run,
    seed,
    crashes: sumOf(counts.crash),
    crashedAt: counts.crash,
    injected: sumOf(counts.other) + totals.injected,
    seconds: Math.round((performance.now() - started) / 100) / 10,
    problems: problems.map(({ invariant, what }) => ({
      invariant,
      what: withoutSecrets(what, secrets),
    })),
  };
}

const PATIENCE_MS = 60_000;

type Counts = Record<"crash" | "other", Record<string, number>>;

function sumOf(counts: Record<string, number>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** What is told of a run that was not done. */
export function notDone({ fault, run, seed }: RunOptions, reason: string): RunResult {
  return { ...NOTHING, fault: fault.name, run, seed, skipped: reason, problems: [] };
}

const NOTHING = {
  ...{ accepted: 0, sent: 0, failed: 0, unknown: 0, duplicates: 0, ambiguous: 0 },
  ...{ lost: 0, invented: 0, crashes: 0, crashedAt: {}, injected: 0, seconds: 0 },
};

/** What is told of a run that could not be carried through: that is never good. */
export function brokenOff({ fault, run, seed }: RunOptions, error: unknown): RunResult {
  const reason = error instanceof Error ? error.stack ?? error.message : String(error);
  return {
    ...NOTHING,
    fault: fault.name,
    run,
    seed,
    problems: [{ invariant: "I6", what: `The run broke off: ${reason}` }],
  };
}

interface ChaosParts {
  rig: Rig;
  account: RunAccount;
  sink: Sink;
  counts: Counts;
  signal: AbortSignal;
  seed: string;
}

function chaosOf({ rig, account, sink, counts, signal, seed }: ChaosParts): Chaos {
  return {
    rig,
    account,
    signal,
    random: openRandom(`${seed}/chaos`),
    count(kind, what) {
      counts[kind][what] = (counts[kind][what] ?? 0) + 1;
    },
    heal: () => sink.behave([], 0),
    async pause(ms) {
      await delay(ms, undefined, { signal }).catch(() => undefined);
      return !signal.aborted;
    },
  };
}

const EDIT_EVERY_MS = 3000;
const HASTEN_EVERY_MS = 1500;

/** Time passes, and people edit templates, whatever else goes wrong. */
async function disturb({ rig, account, pause }: Chaos): Promise<void> {
  const started = performance.now();
  let edits = 0;
  while (await pause(HASTEN_EVERY_MS)) {
    // While the database is away nothing can be done, and nothing is lost by that.
    await endWaits(rig.mongo, account.accountId).catch(() => undefined);
    if (performance.now() - started < EDIT_EVERY_MS * (edits + 1)) continue;
    edits++;
    await account.edit().catch(() => undefined);
  }
}

/** Waits until every message has come to its end and the broker holds nothing. */
async function untilQuiet(
  rig: Rig,
  { account, hold, quietSeconds = 120, onProgress, fault }: RunOptions & {
    account: RunAccount;
    hold: boolean;
  },
): Promise<boolean> {
  const ends = new Set(["sent", "failed", "canceled", ...(hold ? ["unknown"] : [])]);
  let deadline = performance.now() + quietSeconds * 1000;
  let fewest = Infinity;
  while (performance.now() < deadline) {
    let waitsFor = "the servers";
    try {
      await endWaits(rig.mongo, account.accountId);
      const states = await countStates(rig.mongo, account.accountId);
      const left = Object.entries(states).filter(([state, count]) => count > 0 && !ends.has(state));
      if (left.length === 0) {
        if (await isSettled(rig, account, hold)) return true;
        await endWaits(rig.mongo, account.accountId, { isDone: true });
      }
      const count = left.reduce((sum, [, messages]) => sum + messages, 0);
      if (count < fewest) [fewest, deadline] = [count, performance.now() + quietSeconds * 1000];
      waitsFor = left.map(([state, count]) => `${count} ${state}`).join(", ") ||
        "what is left over";
    } catch {
      // They may still be starting.
    }
    onProgress?.(`${fault.name}: waits for ${waitsFor}`);
    await delay(400);
  }
  return false;
}

/** What each service says of itself, for whoever looks for the reason. */
async function describeHealth({ pods }: Rig): Promise<string> {
  const said = pods.running().map(async ({ name, process: { pid, healthUrl } }) => {
    const signal = AbortSignal.timeout(3000);
    const ready = await fetch(`${healthUrl}/readyz`, { signal }).then(
      ({ status }) => String(status),
      (error) => String(error),
    );
    return `${name} (${pid}) ${ready}`;
  });
  return (await Promise.all(said)).join(", ");
}

async function isSettled(rig: Rig, { accountId }: RunAccount, hold: boolean): Promise<boolean> {
  // First what publishes, then what was published.
  const { sends } = await readServiceLedger(rig.mongo, accountId);
  if (!hold && !sends.every((send) => send.settled)) return false;
  return isEmpty(await readBrokerLedger(rig.natsUrl));
}

/**
 * Reads what the broker still holds when all is quiet. Of a mail that is done a fact may come late: who
 * tells it waits for a stream that was wiped away, and nothing is seen of that until it is there.
 */
async function readQuietBroker(rig: Rig): Promise<BrokerLedger> {
  const deadline = performance.now() + LATE_FACT_MS;
  for (;;) {
    const ledger = await readBrokerLedger(rig.natsUrl);
    if (isEmpty(ledger) || performance.now() > deadline) return ledger;
    await delay(400);
  }
}

/** A fact is published twice, 5 s each, and may then wait for company. */
const LATE_FACT_MS = 15_000;

function isEmpty({ streams, consumers }: BrokerLedger): boolean {
  return Object.values(streams).every((messages) => messages === 0) &&
    Object.values(consumers).every(({ unsettled, waiting }) => unsettled + waiting === 0);
}
