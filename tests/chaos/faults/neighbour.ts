import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { readJournal } from "../records/journal.ts";
import type { ClientLine, SinkLine } from "../records/records.ts";
import { openClient } from "../load/client_process.ts";
import { openSink } from "../load/sink_process.ts";
import { makeAccount, SENDER } from "../fixture/account.ts";
import { apisOf } from "../fixture/pods.ts";
import { p99 } from "../p99.ts";
import type { Chaos, Fault } from "./fault.ts";
import type { SmtpFault } from "./smtp_fault.ts";

/** Of a mail of the second account, from the request to the final dot, in milliseconds. */
interface Latency {
  askedAt: number;
  ms: number;
}

const SILENT: SmtpFault[] = [
  { stage: "dot", action: { do: "silence" }, share: 0.7 },
  { stage: "dot", action: { do: "delay", ms: 1000 }, share: 0.3 },
];

/** Mails a second that the second account requests. */
const RATE = 8;

/** The first part of the time has no fault: it is the baseline. */
const BASELINE_SHARE = 0.4;

/** The first mails of an account are slower than its others. */
const WARM_UP_MS = 2000;

/** `docs/guarantees.md`: its p99 grows less than twice. */
const GROWTH = 2;

/**
 * Allowance for a busy machine, in milliseconds: of this few mails the p99 is the slowest one. A mail behind
 * a silent server waits for seconds.
 */
const NOISE_MS = 1000;

/** A server that is silent, or slow, after the dot, beside one whose mail must not be affected. */
export const NEIGHBOUR: Fault = {
  name: "silent-neighbour",
  description:
    "A server says nothing, or late, after the dot; another account is measured meanwhile",
  leavesUnknown: true,
  // Mails without an answer could fill all 32 slots of a mailer, each for that long.
  settings: { mailer: { REPLY_TIMEOUT: "6s" } },
  connections: 40,
  weight: 2,
  // No PDFs: the browser's start would be measured.
  mix: { sharedPdf: 0, ownPdf: 0, bulk: 0.04 },
  async run(chaos) {
    const { behave, seconds, blame, count, note, heal } = chaos;
    const baselineMs = 1000 * seconds * BASELINE_SHARE;
    const started = Date.now();
    const measuring = measure(chaos);
    await delay(baselineMs);
    const brokenAt = Date.now();
    await behave(SILENT);
    count("other", "silence");
    await delay(Math.max(0, started + 1000 * seconds - Date.now()));
    const latencies = await measuring;
    await heal();
    const missing = latencies.filter(({ ms }) => ms === Infinity).length;
    if (missing > 0) {
      return blame(
        "I10",
        `${missing} mails of another account did not come within ${LONGEST_MS} ms`,
      );
    }
    const isWarm = ({ askedAt }: Latency) => askedAt >= started + WARM_UP_MS;
    // A short run has none before: the allowance alone counts then.
    const before = p99(msOf(latencies.filter((one) => isWarm(one) && one.askedAt < brokenAt)));
    const after = p99(msOf(latencies.filter(({ askedAt }) => askedAt >= brokenAt))) ?? Infinity;
    const compared = `${before ?? "unknown"} ms before, ${after} ms beside silence`;
    note(`p99 of another account: ${compared}`);
    if (after <= GROWTH * (before ?? 0) + NOISE_MS) return;
    blame("I10", `The p99 of another account grew: ${compared}`);
  },
};

/** Requests mails of a second account over the whole time, and returns how long each took. */
async function measure({ fixture, run, seconds }: Chaos): Promise<Latency[]> {
  const name = `${run}-neighbour`;
  const folder = join(fixture.dataDir, name);
  await mkdir(folder);
  const files = { client: join(folder, "client.jsonl"), sink: join(folder, "sink.jsonl") };
  await using sink = await openSink({ journal: files.sink, seed: name });
  await using client = await openClient();
  const { path, token, pdfId } = await makeAccount(fixture.store, {
    ...{ run: name, sinkPort: sink.port, connections: 10, whenUnknown: "retry" },
    user: undefined,
  });
  client.use(apisOf(fixture.pods.running()));
  const messages = Math.max(1, Math.round(RATE * seconds));
  await client.run({
    ...{ run: name, seed: name, messages, seconds, backlog: 0, connections: 8 },
    ...{ mix: { sharedPdf: 0, ownPdf: 0, bulk: 0 }, path, token, from: SENDER, pdfId, secrets: [] },
    journal: files.client,
  });
  // Later mails count as missing.
  const deadline = performance.now() + LONGEST_MS;
  while ((await sink.totals()).taken < client.totals.accepted && performance.now() < deadline) {
    await delay(100);
  }
  return latenciesOf(readJournal(files.client), readJournal(files.sink));
}

const LONGEST_MS = 20_000;

function latenciesOf(client: ClientLine[], sink: SinkLine[]): Latency[] {
  const arrived = new Map<string, number>();
  for (const line of sink) {
    if (line.type === "mail" && line.taken) arrived.set(line.to[0] ?? "", line.at);
  }
  const accepted = new Set(
    client.flatMap((line) => line.type === "answer" && line.status === 200 ? [line.key] : []),
  );
  return client.flatMap((line) =>
    line.type === "ask" && accepted.has(line.key)
      ? line.mails.map(({ email }) => ({
        askedAt: line.at,
        ms: (arrived.get(email) ?? Infinity) - line.at,
      }))
      : []
  );
}

function msOf(latencies: readonly Latency[]): number[] {
  return latencies.map(({ ms }) => ms);
}
