/**
 * Prints malicious pages beside a canary, for tests. It reads one order a line and writes one result a line. It
 * is a process of its own, so that it can run in a network of its own.
 */
import { createHash } from "node:crypto";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { pageOptionsSchema } from "@posthaste/contracts";
import { chromiumCacheDir } from "@posthaste/embedded";
import {
  type CanarySight,
  framed,
  type Leak,
  leakPage,
  LEAKS,
  openCanary,
  PAGE_LEAKS,
  until,
} from "@posthaste/kit";
import { type Browser, chromium } from "playwright-core";
import { extractText } from "unpdf";
import { openBrowser, type PdfBrowser } from "./browser.ts";
import { chromiumFlags } from "./chromium_flags.ts";
import { openDenyProxy } from "./deny_proxy.ts";
import { findChromium } from "./find_chromium.ts";
import { printDocument } from "./print_document.ts";
import { processTree } from "./process_tree.ts";

/** The guards around the browser. */
export interface Guards {
  /** Content security policy in front of the document. */
  policy: boolean;
  scripts: boolean;
  /** All of our flags, `none`, or all but those that start with one of these. */
  flags: "all" | "none" | readonly string[];
  /** Whether the page is opened as a file, as careless printers do. */
  asFile?: boolean;
}

/** One page to be printed. */
export interface AttackOrder {
  /** The product as it is, or a browser with these guards. */
  guards: "product" | Guards;
  /** What to print, instead of leaks. */
  html?: string;
  /** HTML in front of the page of leaks. The page also replaces `<img>` in it. */
  before?: string;
  /** Whether to look at the processes of the product's browser. */
  looks?: boolean;
  /** Account of the document, for the product. */
  accountId?: string;
  /** Names of leaks; all that fit into a page if left out. */
  leaks?: readonly string[];
  frames?: readonly ("srcdoc" | "data")[];
  /**
   * Address under which pages call the canary.
   * @default its own address
   */
  address?: string;
  /** How long started requests may continue after the print, in milliseconds. */
  settleMs?: number;
  /** The leaks to expect: the process waits for them, for at most a minute. */
  awaited?: {
    leaks?: readonly string[];
    differentLeaks?: number;
    names?: readonly string[];
    udp?: number;
  };
}

/** The result of one order. */
export interface AttackResult {
  sight: CanarySight;
  /** Counted by the kernel: UDP packets, and TCP connections other than those to the deny proxy. */
  kernel?: { udp: number; tcp: number };
  /** Whether the text of a file is in the PDF. */
  readsFile: boolean;
  /** Text of the PDF; `undefined` if there is no PDF. */
  text?: string;
  /** SHA-256 of the PDF. */
  digest?: string;
  /** Of the product's browser: its processes, and those that are root's or have no sandbox. */
  processes?: { all: number; unguarded: number };
  error?: string;
}

/** Instead of 30 s, so that a bomb does not slow the tests down. */
const TIME_LIMIT_MS = 3000;
const MAX_WAIT_MS = 60_000;

const LOOK_EVERY_MS = 10;
const MAX_LOOKS = 200;
const SECRET = "the-secret-of-the-file";
const NAME = "canary.test";
const CACHE_DIR = chromiumCacheDir(process.env);
const WHERE = { path: process.env["PATH"], home: homedir(), cacheDir: CACHE_DIR };

if (import.meta.main) {
  const isolated = process.env["ISOLATED"] === "yes";
  const folder = await mkdtemp(join(tmpdir(), "posthaste-malicious-"));
  const file = join(folder, "secret.txt");
  await writeFile(file, SECRET);
  // The user who runs the browser may read it.
  await chmod(folder, 0o755);
  await using canary = await openCanary({ address: isolated ? "::" : "127.0.0.1", dns: isolated });
  await using proxy = await openDenyProxy();
  const found = await findChromium(WHERE);
  let product: PdfBrowser | undefined;
  const browsers = new Map<string, Browser>();

  const launch = async (flags: Guards["flags"]): Promise<Browser> => {
    const wanted = chromiumFlags(proxy.port).filter((flag) =>
      flags === "all" || flags !== "none" && !flags.some((without) => flag.startsWith(without))
    );
    return await chromium.launch({
      executablePath: found.executablePath,
      args: flags === "none" ? ["--disable-gpu", "--disable-dev-shm-usage"] : wanted,
      env: { ...found.env, HOME: CACHE_DIR, TZ: "UTC" },
    });
  };

  const pageOf = (order: AttackOrder): string => {
    const { leaks, frames = [], address = "127.0.0.1", before } = order;
    const all: readonly Leak[] = [...LEAKS, ...PAGE_LEAKS];
    const chosen = leaks === undefined ? LEAKS : all.filter(({ name }) => leaks.includes(name));
    const host = `${address}:${canary.port}`;
    const page = leakPage(chosen, { host, file, ...(isolated ? { name: NAME } : {}) });
    const whole = frames.reduce((html, how) => framed(html, how), page);
    return before === undefined ? whole : before.replace("<img>", () => whole) + whole;
  };

  const settle = async ({ settleMs = 300, awaited }: AttackOrder): Promise<void> => {
    if (awaited === undefined) return void await delay(settleMs);
    const { leaks = [], differentLeaks = 0, names = [], udp = 0 } = awaited;
    const hasCome = () => {
      const sight = canary.look();
      const seen = new Set(sight.requests);
      return seen.size >= differentLeaks && leaks.every((name) => seen.has(name)) &&
        names.every((name) => sight.names.includes(name)) && sight.udp >= udp;
    };
    // The test itself fails for a leak that is missing in the result.
    await until(hasCome, { timeoutMs: MAX_WAIT_MS }).catch(() => undefined);
  };

  const printGuarded = async (
    guards: Guards,
    html: string,
    order: AttackOrder,
  ): Promise<Buffer> => {
    const key = JSON.stringify(guards.flags);
    const kept = browsers.get(key);
    const browser = kept?.isConnected() ? kept : await launch(guards.flags);
    browsers.set(key, browser);
    const context = await browser.newContext({ javaScriptEnabled: guards.scripts });
    try {
      const page = await context.newPage();
      const cdp = await context.newCDPSession(page);
      const source = guards.policy ? printDocument(html, { css: "" }) : html;
      if (guards.asFile) {
        await writeFile(join(folder, "page.html"), `<!DOCTYPE html>${source}`);
        await page.goto(`file://${folder}/page.html`, { waitUntil: "commit" });
      } else {
        const { frameTree } = await cdp.send("Page.getFrameTree");
        const frameId = frameTree.frame.id;
        await cdp.send("Page.setDocumentContent", { frameId, html: source });
      }
      await settle(order);
      const { data } = await cdp.send("Page.printToPDF", {});
      return Buffer.from(data, "base64");
    } finally {
      await context.close();
    }
  };

  const countOnce = async () => {
    const { udp, tcp } = await countPackets();
    return { udp, tcp: tcp - proxy.refused - (product?.stats().refused ?? 0) };
  };

  /** Counts until nothing changes: a connection that has begun reaches the deny proxy a moment later. */
  const countSettled = async () => {
    let now = await countOnce();
    for (let same = 0, looks = 0; same < 2 && looks < MAX_LOOKS; looks++) {
      await delay(LOOK_EVERY_MS);
      const next = await countOnce();
      same = next.udp === now.udp && next.tcp === now.tcp ? same + 1 : 0;
      now = next;
    }
    return now;
  };

  const carryOut = async (order: AttackOrder): Promise<AttackResult> => {
    const { guards } = order;
    const html = order.html ?? pageOf(order);
    canary.take();
    const before = await countSettled();
    let pdf: Buffer | undefined;
    let error: string | undefined;
    try {
      if (guards === "product") {
        const sandbox = process.env["SANDBOX"] === "off" ? "off" : "auto";
        product ??= await openBrowser({
          ...{ ...WHERE, concurrency: 1, timeLimit: TIME_LIMIT_MS, sandbox },
        });
        const page = pageOptionsSchema.parse({});
        const { accountId = "" } = order;
        const asker = { accountId, priority: "transactional" as const };
        pdf = (await product.print({ name: "malicious", html, page }, { asker })).pdf;
        await settle(order);
      } else pdf = await printGuarded(guards, html, order);
    } catch (cause) {
      error = String(cause);
    }
    const after = await countSettled();
    const text = pdf && (await extractText(new Uint8Array(pdf))).text.join("\n");
    return {
      sight: canary.take(),
      ...(isolated ? { kernel: { udp: after.udp - before.udp, tcp: after.tcp - before.tcp } } : {}),
      readsFile: text?.includes(SECRET) ?? false,
      ...(text === undefined ? {} : { text }),
      ...(pdf === undefined ? {} : { digest: createHash("sha256").update(pdf).digest("hex") }),
      ...(error === undefined ? {} : { error }),
      ...(order.looks ? { processes: await lookAtProcesses(product?.stats().pids[0] ?? 0) } : {}),
    };
  };

  try {
    for await (const line of createInterface({ input: process.stdin })) {
      const result = await carryOut(JSON.parse(line) as AttackOrder);
      process.stdout.write(`${JSON.stringify(result)}\n`);
    }
  } finally {
    for (const browser of browsers.values()) await browser.close();
    await product?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Counts the processes of a browser, and those from which a flaw in Chromium would be an escape. */
async function lookAtProcesses(pid: number): Promise<{ all: number; unguarded: number }> {
  let [all, unguarded] = [0, 0];
  for (const each of processTree(pid)) {
    const command = await readFile(`/proc/${each}/cmdline`, "utf8").catch(() => "");
    const status = await readFile(`/proc/${each}/status`, "utf8").catch(() => "");
    if (status === "") continue;
    all++;
    const isRoots = /^Uid:\s+0\s/m.test(status);
    const isOpen = command.includes("--type=renderer") && !/^Seccomp:\s+2$/m.test(status);
    if (isRoots || isOpen || command.includes("--no-sandbox")) unguarded++;
  }
  return { all, unguarded };
}

/** Returns the UDP packets sent and TCP connections begun in this network, by any process. */
async function countPackets(): Promise<{ udp: number; tcp: number }> {
  const counters = new Map<string, number>();
  for (const file of ["snmp", "snmp6"]) {
    const lines = (await readFile(`/proc/net/${file}`, "utf8").catch(() => "")).split("\n");
    for (const [index, line] of lines.entries()) {
      const [head = "", ...values] = line.trim().split(/\s+/);
      if (file === "snmp6") counters.set(head, Number(values[0]));
      else if (/\d/.test(values[0] ?? "")) {
        const names = (lines[index - 1] ?? "").split(/\s+/).slice(1);
        for (const [at, name] of names.entries()) counters.set(head + name, Number(values[at]));
      }
    }
  }
  const of = (name: string) => counters.get(name) ?? 0;
  return {
    udp: of("Udp:OutDatagrams") + of("Udp6OutDatagrams"),
    tcp: of("Tcp:ActiveOpens"),
  };
}
