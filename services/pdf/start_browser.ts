import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { CdpConnection } from "./cdp.ts";
import { chromiumFlags } from "./chromium_flags.ts";
import type { FoundChromium } from "./find_chromium.ts";
import { killProcesses } from "./process_tree.ts";

/** How a browser is started. */
export interface LaunchOptions {
  chromium: FoundChromium;
  /** `FONTCONFIG_FILE`. */
  fontsFile: string;
  /** Where the browser may write: its `HOME`. */
  home: string;
  /** The deny-all proxy on loopback. */
  proxyPort: number;
  /** Whether Chromium's sandbox is on. */
  sandbox: boolean;
  /**
   * Id of the user that it runs as.
   * @default the service's
   */
  user?: number | undefined;
  /** Niceness of its processes, from 0 to 19, the lowest priority (nice(1)). */
  niceness: number;
  /** In milliseconds. */
  launchTimeout: number;
}

/** A browser that answers. */
export interface StartedBrowser {
  pid: number;
  connection: CdpConnection;
  /** Resolves after its process has ended and its profile is removed. */
  ended: Promise<void>;
}

/** The folder that a browser uses while it runs. */
interface BrowserProfile {
  folder: string;
  /** Arguments for `_browser.sh`, if another user than the service's runs the browser; otherwise empty. */
  env: Record<string, string>;
  remove(): Promise<void>;
}

/** Starts the browser at its priority. */
const BROWSER = fileURLToPath(new URL("./_browser.sh", import.meta.url));

/** Maximum length of the browser's output that is kept until it answers, in characters. */
const MAX_SAID = 10_000;

/**
 * Starts a browser, in a process group of its own, and waits until it answers. It ends with this process: a
 * browser ends when its pipe is closed.
 *
 * @throws {Error} If it does not answer in time; the message contains its output.
 */
export async function startBrowser(options: LaunchOptions): Promise<StartedBrowser> {
  const profile = await openProfile(options);
  const child = spawnBrowser(options, profile);
  const { pid } = child;
  const exited = once(child, "exit").catch(() => undefined);
  const ended = exited.then(() => profile.remove()).catch(() => undefined);
  const said = listen(child);
  const [, , , input, output] = child.stdio as unknown as [
    null,
    null,
    Readable,
    Writable,
    Readable,
  ];
  const connection = new CdpConnection(input, output);
  void exited.then(() => connection.close());
  const late = AbortSignal.timeout(options.launchTimeout);
  try {
    await Promise.race([
      connection.send("Browser.getVersion", {}),
      once(late, "abort").then(() => Promise.reject(new Error("it does not answer"))),
    ]);
    if (pid === undefined) throw new Error("it has no process");
    return { pid, connection, ended };
  } catch (cause) {
    if (pid !== undefined) killProcesses([pid]);
    await ended;
    throw new Error(`Cannot start the browser: ${said() || String(cause)}`, { cause });
  }
}

function spawnBrowser(options: LaunchOptions, profile: BrowserProfile): ChildProcess {
  const child = spawn(BROWSER, [
    ...chromiumFlags(options.proxyPort),
    "--headless",
    "--no-startup-window",
    "--remote-debugging-pipe",
    `--user-data-dir=${profile.folder}`,
    ...(options.sandbox ? [] : ["--no-sandbox"]),
  ], {
    detached: true,
    stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
    // Nothing of the service's environment, which contains secrets.
    env: {
      ...options.chromium.env,
      BROWSER: options.chromium.executablePath,
      BROWSER_NICENESS: String(options.niceness),
      FONTCONFIG_FILE: options.fontsFile,
      HOME: options.home,
      ...profile.env,
      LANG: "C.UTF-8",
      TZ: "UTC",
    },
  });
  const kill = () => void killProcesses(child.pid === undefined ? [] : [child.pid]);
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  // The `close` event counts; it also comes if the process could not start.
  child.on("error", () => child.emit("exit"));
  return child;
}

/** Reads the browser's output, and returns a function for the first part of it. */
function listen({ stderr }: ChildProcess): () => string {
  let said = "";
  stderr?.setEncoding("utf8").on("data", (text: string) => {
    if (said.length < MAX_SAID) said += text;
  });
  return () => said.trim();
}

/** Makes a folder in `home` for a browser. */
async function openProfile({ home, user }: LaunchOptions): Promise<BrowserProfile> {
  const folder = await mkdtemp(join(home, "profile-"));
  return {
    folder,
    env: user === undefined
      ? {}
      : { BROWSER_USER: String(user), BROWSER_PROFILE: folder, HOME: folder },
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}
