import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { type PageOptionsInput, pageOptionsSchema } from "@posthaste/contracts";
import { chromiumCacheDir } from "@posthaste/embedded";
import { extractText, getDocumentProxy } from "unpdf";
import { type BrowserOptions, openBrowser, type PdfBrowser } from "./browser.ts";
import { findChromium } from "./find_chromium.ts";
import type { PrintJob } from "./print_job.ts";
import { processTree } from "./process_tree.ts";

/** Where tests keep the unpacked browser, so that it is unpacked once. */
export const CACHE_DIR = chromiumCacheDir(process.env);

/** The places where `findChromium()` looks. */
export const WHERE = { path: process.env["PATH"], home: homedir(), cacheDir: CACHE_DIR };

/** Why tests with a browser are skipped, or `false`. */
export const NO_CHROMIUM = await findChromium(WHERE).then(
  () => false as const,
  (error: Error) => `NO CHROMIUM, NOTHING IS TESTED: ${error.message}`,
);

/** The sandbox mode that the test runner detected, as the service's setting. */
const SANDBOX = process.env["SANDBOX"] === "off" ? "off" : "auto";

/** Opens a real browser. */
export async function openTestBrowser(options: Partial<BrowserOptions> = {}): Promise<PdfBrowser> {
  return await openBrowser({ ...WHERE, concurrency: 2, sandbox: SANDBOX, ...options });
}

/** Returns a job with every default filled in. */
export function job(html: string, page: PageOptionsInput = {}): PrintJob {
  return { name: "test", html, page: pageOptionsSchema.parse(page) };
}

/** Returns the text of each page, read by a PDF parser. */
export async function textOf(pdf: Buffer): Promise<string[]> {
  const { text } = await extractText(new Uint8Array(pdf));
  return text.map((page) => page.replace(/\s+/g, " ").trim());
}

/** Returns the metadata of a PDF, its outline, and the structure of its first page. */
export async function describePdf(pdf: Buffer) {
  const document = await getDocumentProxy(new Uint8Array(pdf));
  const { info } = await document.getMetadata();
  const outline = await document.getOutline() ?? [];
  const structure = await (await document.getPage(1)).getStructTree();
  return {
    info: new Map<string, unknown>(Object.entries(info)),
    isTagged: (await document.getMarkInfo())?.Marked === true,
    outline: outline.map(({ title }) => title),
    structure: JSON.stringify(structure),
  };
}

/** Returns the width and height of the first page, in millimetres. */
export async function sizeOf(pdf: Buffer): Promise<[number, number]> {
  const document = await getDocumentProxy(new Uint8Array(pdf));
  const { width, height } = (await document.getPage(1)).getViewport({ scale: 1 });
  return [Math.round(width / 72 * 25.4), Math.round(height / 72 * 25.4)];
}

/** Returns the ids of the renderer processes under the browser with this process id. */
export function renderersUnder(pid: number): Promise<number[]> {
  return processesUnder(pid, "renderer");
}

/** Kills the process of which each page's process is a copy. The browser runs on, and all its pages crash. */
export async function killZygote(pid: number): Promise<void> {
  const zygote = (await processesUnder(pid, "zygote")).at(-1);
  assert.ok(zygote !== undefined);
  process.kill(zygote, "SIGKILL");
}

async function processesUnder(pid: number, type: string): Promise<number[]> {
  const found: number[] = [];
  for (const child of processTree(pid)) {
    const command = await readFile(`/proc/${child}/cmdline`, "utf8").catch(() => "");
    if (command.includes(`--type=${type}`)) found.push(child);
  }
  return found;
}
