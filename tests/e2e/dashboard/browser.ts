import { existsSync, globSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { chromiumCacheDir } from "@posthaste/embedded";
import { type Browser, chromium } from "playwright-core";

const NAMES = [
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
  "google-chrome",
  "chromium-headless-shell",
  "chrome-headless-shell",
];

/**
 * Opens a Chromium to look at the dashboard with: `CHROMIUM_PATH`, else the headless shell from npm, which
 * the pdf service has unpacked, else an installed one, which takes several times as much of the machine.
 *
 * @param options.hosts Addresses of servers on this machine that stand in for others, by the names of those:
 * `{ "accounts.google.com": "127.0.0.1:8443" }`.
 * @throws {Error} If there is none.
 */
export async function openBrowser(
  { hosts = {} }: { hosts?: Readonly<Record<string, string>> } = {},
): Promise<Browser> {
  const { executablePath, env } = findBrowser();
  const rules = Object.entries(hosts).map(([name, address]) => `MAP ${name} ${address}`).join();
  return await chromium.launch({
    executablePath,
    env: { ...process.env, ...env },
    args: [
      // Chromium has no sandbox as root, as in containers.
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      ...(rules === "" ? [] : [`--host-resolver-rules=${rules}`]),
    ],
  });
}

function findBrowser(): { executablePath: string; env?: Record<string, string> } {
  const { env } = process;
  if (env["CHROMIUM_PATH"]) return { executablePath: env["CHROMIUM_PATH"] };
  const cache = chromiumCacheDir(env);
  const [unpacked] = globSync(join(cache, "chromium-*", "chromium"));
  if (unpacked !== undefined) {
    return { executablePath: unpacked, env: { LD_LIBRARY_PATH: join(unpacked, "../lib") } };
  }
  const folders = [...(env["PATH"] ?? "").split(delimiter), "/usr/lib/chromium"];
  const installed = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
  if (installed !== undefined) return { executablePath: installed };
  throw new Error("Cannot find Chromium: set CHROMIUM_PATH, or install chromium");
}
