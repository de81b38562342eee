import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { makeAccount, SENDER } from "./account.ts";
import { type Baseline, baselineOf, findSurplus } from "../ledgers/baseline.ts";
import { readHoldings } from "../ledgers/holdings.ts";
import type { Holding } from "../ledgers/ledgers.ts";
import type { Rig } from "./rig.ts";
import { openSink } from "../load/sink_process.ts";

/** Each of two pages of a browser prints several. */
const PDFS = 4;
const PATIENCE_MS = 60_000;
const PAUSE_MS = 200;

/** So many readings that do not exceed those before, one after another, are rest. */
const READINGS = 4;

type WarmRig = Pick<Rig, "dataDir" | "reached" | "store" | "pods">;

/**
 * Has a fresh system send a few mails with PDFs, so that all that is opened when it is first needed is
 * open, the browser above all; waits until it is idle, and reads what its services hold then.
 */
export async function warmUp(rig: WarmRig, apis: readonly string[]): Promise<Baseline> {
  const folder = join(rig.dataDir, "warm-up");
  await mkdir(folder);
  {
    await using sink = await openSink({ journal: join(folder, "sink.jsonl"), seed: "warm-up" });
    const account = await makeAccount(rig.store, {
      ...{ run: "warm-up", sinkPort: sink.port, connections: 2, whenUnknown: "retry" },
      user: undefined,
    });
    const response = await fetch(`${apis[0]}${account.path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${account.token}`,
        "content-type": "application/json",
        "idempotency-key": "warm-up",
      },
      body: JSON.stringify({
        from: { email: SENDER },
        to: Array.from({ length: PDFS }, (_, n) => ({
          email: `n${n}@warm-up.example`,
          variables: { n },
          attachments: [{ id: account.pdfId, variables: { of: `${n}` } }],
        })),
      }),
    });
    if (!response.ok) throw new Error(`Cannot warm up: it was answered ${await response.text()}`);
    const deadline = performance.now() + PATIENCE_MS;
    while ((await sink.totals()).taken < PDFS) {
      if (performance.now() > deadline) throw new Error("Cannot warm up: the mails do not arrive");
      await delay(50);
    }
  }
  return await baselineAtRest(rig);
}

async function baselineAtRest(rig: WarmRig): Promise<Baseline> {
  const deadline = performance.now() + PATIENCE_MS;
  let readings: Holding[][] = [];
  while (readings.length < READINGS && performance.now() < deadline) {
    await delay(PAUSE_MS);
    const reading = await readHoldings(rig);
    const last = readings.at(-1);
    // What was opened for the mails, and is closed when it is not used, is not rest yet.
    if (last !== undefined && sumOf(reading) < sumOf(last) - 1) readings = [];
    readings.push(reading);
  }
  return baselineOf(readings.flat());
}

function sumOf(holdings: readonly Holding[]): number {
  return holdings.reduce((sum, { files, browsers }) => sum + files + browsers, 0);
}

/** Longest wait until services hold what fresh ones do, in milliseconds (D.2, I6). */
const BACK_MS = 60_000;

/** Waits until the services are back to the baseline; tells what they still hold after a minute. */
export async function untilBaseline(rig: Rig): Promise<string[]> {
  const members = rig.servers.kind === "three" ? rig.servers.mongods.members.length : 1;
  for (const deadline = performance.now() + BACK_MS;;) {
    const surplus = findSurplus(await readHoldings(rig), { baseline: rig.baseline, members });
    if (surplus.length === 0 || performance.now() > deadline) return surplus;
    await delay(PAUSE_MS);
  }
}
