import process from "node:process";
import { fileURLToPath } from "node:url";
import {
  BEFORE_POLICIES,
  HIDDEN_POLICIES,
  ISOLATED_ADDRESSES,
  type IsolatedProcess,
  LEAKS,
  openIsolated,
  PAGE_LEAKS,
  PRINT_BOMBS,
  PRINT_POISONS,
} from "@posthaste/kit";
import { openRandom, type Random } from "@posthaste/chaos";
import type { AttackRow } from "./row.ts";

/**
 * Path of the process that prints beside a canary, by the pdf service's own browser, or one with scripts on.
 */
const PROCESS = fileURLToPath(
  new URL("../../services/pdf/_test_attack_process.ts", import.meta.url),
);

const SCRIPTED = { policy: false, scripts: true, flags: "all" };
const BARE = { policy: false, scripts: true, flags: "none" };

/** More addresses of this machine, in notations of attackers. */
const ADDRESSES = [
  ...["127.0.0.1", "127.0.0.2", "localhost", "canary.test", "[::1]", "[::ffff:127.0.0.1]"],
  ...["2130706433", "0x7f.1", "017700000001", "0.0.0.0", ...ISOLATED_ADDRESSES],
];

/** Settings of {@linkcode attackChromium}. */
export interface AttackOptions {
  tries: number;
  seed: number;
  onProgress?(line: string): void;
}

interface Result {
  sight: { connections: number; requests: string[]; udp: number; names: string[] };
  kernel?: { udp: number; tcp: number };
  readsFile: boolean;
  text?: string;
  digest?: string;
  processes?: { all: number; unguarded: number };
  error?: string;
}

/** Twice the time limit of the process, and the time to start another browser. */
const BOMB_MS = 60_000;

/**
 * Prints pages of random ways to reach out, nested into frames, to addresses inside and outside, by the
 * unchanged product, and by its flags alone with scripts on.
 *
 * @throws {Error} If the canary does not even see a browser without guards.
 */
export async function attackChromium(options: AttackOptions): Promise<AttackRow[]> {
  const { tries, seed, onProgress } = options;
  const random = openRandom(`chromium/${seed}`);
  await using browsers = await openIsolated(PROCESS);
  const print = async (order: object) => await browsers.ask(order) as Result;
  const control = await print({ guards: BARE, awaited: { differentLeaks: 75 } });
  const seen = new Set(control.sight.requests).size;
  if (seen < 75) throw new Error(`Cannot attack Chromium: the canary sees only ${seen} leaks`);
  const note = `${seen} of ${LEAKS.length} ways are seen without guards` +
    (browsers.isolated ? "; packets counted by the kernel" : "; in the machine's own network");
  const rows: AttackRow[] = [];
  for (const [attack, guards] of [["as printed", "product"], ["scripts on", SCRIPTED]] as const) {
    const started = performance.now();
    const row = { attack: `Chromium: leaking pages, ${attack}`, tries: 0, through: 0, note };
    const errors: string[] = [];
    for (; row.tries < Math.ceil(tries / 2); row.tries++) {
      const order = { ...randomPage(random), guards, settleMs: guards === "product" ? 100 : 300 };
      const result = await print(order);
      if (result.error !== undefined) errors.push(result.error);
      if (!gotThrough(result)) continue;
      row.through++;
      onProgress?.(`GOT THROUGH ${JSON.stringify({ order, result })}`);
    }
    // A page that is not shown makes no attempt.
    if (errors.length > row.tries / 2) {
      throw new Error(`Cannot attack Chromium: ${errors.length} pages failed: ${errors[0]}`);
    }
    row.note = `${note}; ${row.tries - errors.length} pages were printed`;
    rows.push({ ...row, seconds: (performance.now() - started) / 1000 });
    onProgress?.(`${row.attack}: ${row.tries} pages, ${row.through} got through`);
  }
  rows.push(await leaveTraces(browsers, onProgress));
  if (process.env["SANDBOX"] !== "off") rows.push(await lookAtProcesses(browsers));
  rows.push(await dropBombs(browsers, onProgress));
  return rows;
}

const INVOICE = "<style>p{color:teal;font-size:40px}</style><p>Invoice" +
  `<img src="data:image/gif;base64,R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==">`;

/**
 * Prints once each document that tries to change its page: another account's document must print unchanged.
 */
async function leaveTraces(
  browsers: IsolatedProcess,
  onProgress: AttackOptions["onProgress"],
): Promise<AttackRow> {
  const started = performance.now();
  const row = { attack: "Chromium: traces left to another account", tries: 0, through: 0 };
  const print = async (accountId: string, html: string) =>
    await browsers.ask({ guards: "product", html, accountId, settleMs: 0 }) as Result;
  const { digest: wanted } = await print("b", INVOICE);
  if (wanted === undefined) throw new Error("Cannot attack Chromium: nothing is printed");
  for (const html of [...PRINT_POISONS, ...HIDDEN_POLICIES]) {
    row.tries++;
    await print("a", html);
    const { digest } = await print("b", INVOICE);
    if (digest === wanted) continue;
    row.through++;
    onProgress?.(`GOT THROUGH ${html}`);
  }
  return { ...row, seconds: (performance.now() - started) / 1000 };
}

/** Prints with the product's defaults, and counts the processes that are root's or have no sandbox. */
async function lookAtProcesses(browsers: IsolatedProcess): Promise<AttackRow> {
  const started = performance.now();
  const attack = "Chromium: processes of root, or without a sandbox";
  const order = { guards: "product", html: "<p>look", looks: true, settleMs: 0 };
  const { processes } = await browsers.ask(order) as Result;
  if (!processes || processes.all === 0) throw new Error("Cannot attack Chromium: it is not there");
  const { all: tries, unguarded: through } = processes;
  return { attack, tries, through, seconds: (performance.now() - started) / 1000 };
}

/** Prints each bomb once: it must end in time with an answer, and the next document must print correctly. */
async function dropBombs(
  browsers: IsolatedProcess,
  onProgress: AttackOptions["onProgress"],
): Promise<AttackRow> {
  const started = performance.now();
  const row = { attack: "Chromium: bombs, and the document after each", tries: 0, through: 0 };
  for (const { name, html } of PRINT_BOMBS) {
    row.tries++;
    const dropped = performance.now();
    const bomb = await browsers.ask({ guards: "product", html: html(), settleMs: 0 }) as Result;
    const lasted = performance.now() - dropped;
    const next = await browsers.ask({ guards: "product", html: "<p>next", settleMs: 0 }) as Result;
    const isBad = /crashed on it|did not start/.test(bomb.error ?? "") || lasted > BOMB_MS ||
      next.text !== "next";
    if (isBad) row.through++;
    const end = bomb.error ?? "printed";
    onProgress?.(`${isBad ? "GOT THROUGH " : ""}${name}: ${end} (${Math.round(lasted)} ms)`);
  }
  return { ...row, seconds: (performance.now() - started) / 1000 };
}

function randomPage(random: Random) {
  const alone = random.chance(0.15) ? [random.pick(PAGE_LEAKS)] : [];
  const share = random.next();
  const leaks = [...LEAKS.filter(() => random.chance(share)), ...alone];
  const depth = random.chance(0.4) ? random.integer(1, 3) : 0;
  return {
    leaks: leaks.map(({ name }) => name),
    frames: Array.from({ length: depth }, () => random.pick(["srcdoc", "data"])),
    ...(random.chance(0.2) ? { before: random.pick(BEFORE_POLICIES) } : {}),
    address: random.pick(ADDRESSES),
  };
}

function gotThrough({ sight, kernel, readsFile }: Result): boolean {
  const { connections, requests, udp, names } = sight;
  return connections + requests.length + udp + names.length > 0 || readsFile ||
    (kernel !== undefined && kernel.udp + kernel.tcp > 0);
}
