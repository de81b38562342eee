import { rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { checkFreeSpace } from "./check_free_space.ts";
import { checkPorts } from "./check_ports.ts";
import { lockData } from "./data_lock.ts";
import { followInbox } from "./follow_inbox.ts";
import { restartDelay } from "./restart_delay.ts";
import type { Screen } from "./screen.ts";
import { ACCOUNT, type Demonstration, seedDemonstration, SENDER, SYSTEM_ACCOUNT } from "./seed.ts";
import type { Env, Settings } from "./settings.ts";
import { openStack, type Stack } from "./stack.ts";
import type { PartName } from "./part_name.ts";
import { readStackFile, writeStackFile } from "./stack_file.ts";
import { summaryText } from "./summary.ts";

/** Options of {@linkcode runDevelopment}. */
export interface DevelopmentOptions {
  settings: Settings;
  env: Env;
  screen: Screen;
  /** Folder of the repository. */
  root: string;
  /** Stops all in order. */
  signal: AbortSignal;
  /** Asks whether to go on. */
  confirm: (question: string) => Promise<boolean>;
}

/** All own files in a data folder: others must not be removed. */
const DATA = ["mongodb", "nats", "inbox", "pdf", "master.key", "users.json", "stack.json"];

/**
 * Starts everything, prints the addresses, keeps it running until the signal, and stops it in order.
 *
 * @throws {Error} If it does not start, with what to do about it; nothing is left running.
 */
export async function runDevelopment(options: DevelopmentOptions): Promise<void> {
  const { settings, env, screen, signal } = options;
  const { dataDir } = settings;
  const started = performance.now();
  await using _lock = await lockData(dataDir);
  if (settings.isReset && !await resetData(options)) return;
  await checkFreeSpace(dataDir);
  const ports = await checkPorts(settings.ports);
  const { inboxWeb = 0, inboxSmtp = 0 } = ports;
  let demonstration: Demonstration | undefined;
  const keeper = openKeeper(options);
  await using stack = await openStack({
    env: { ...env, ...(settings.isVerbose && !env["LOG_LEVEL"] ? { LOG_LEVEL: "debug" } : {}) },
    dataDir,
    ports,
    inbox: { webPort: inboxWeb, smtpPort: inboxSmtp },
    settings: { dashboard: { DEMO_ACCOUNT: ACCOUNT, SYSTEM_ACCOUNT } },
    signal,
    prepare: async ({ mongodbUrl }) => {
      const token = (await readStackFile(dataDir))?.token;
      const folder = join(options.root, "dev", "demo");
      demonstration = await seedDemonstration({ mongodbUrl, folder, smtpPort: inboxSmtp, token });
    },
    onProgress: screen.status,
    onLine: screen.log,
    onUnexpectedExit: (part, reason) => keeper.ended(part, reason),
  });
  keeper.keep(stack);
  if (demonstration === undefined) throw new Error("Cannot start: the demonstration is missing");
  const { mongodbUrl, natsUrl, apiUrl, masterKeyFile } = stack;
  const { accountId, token, integrationId, templates } = demonstration;
  const keyFile = env["MASTER_KEY"] ? {} : { masterKeyFile };
  await writeStackFile(dataDir, { mongodbUrl, natsUrl, ...keyFile, apiUrl, token, accountId });
  screen.status("");
  const invoiceId = templates.find(({ kind, alias }) => kind === "pdf" && alias === "invoice")?.id;
  const inboxUrl = `http://127.0.0.1:${inboxWeb}`;
  screen.print(summaryText({
    seconds: (performance.now() - started) / 1000,
    request: { apiUrl, token, integrationId, invoiceId: invoiceId ?? 1, sender: SENDER },
    inboxUrl,
    dashboardUrl: stack.dashboardUrl,
    smtpPort: inboxSmtp,
    mongodbUrl,
    natsUrl,
    dataDir: shortPath(dataDir, options.root),
    account: ACCOUNT,
    templates,
  }, screen.paint));
  await showMails(inboxUrl, options);
  screen.status("stopping api");
}

function shortPath(path: string, root: string): string {
  const short = relative(root, path);
  return short.startsWith("..") || short === "" ? path : short;
}

/** Prints each mail that arrives, until the signal aborts. */
async function showMails(
  url: string,
  { screen, signal }: Pick<DevelopmentOptions, "screen" | "signal">,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const mails of followInbox(url, signal)) {
        for (const { subject, to } of mails.slice(0, SHOWN_MAILS)) {
          const name = to[0]?.address ?? "nobody";
          screen.say("info", `Mail to ${name}: ${subject}`, "inbox");
        }
        const more = mails.length - SHOWN_MAILS;
        if (more > 0) screen.say("info", `${more} more mails`, "inbox");
      }
    } catch {
      // The inbox is restarting, or the stack stops.
    }
    await delay(1000, undefined, { signal }).catch(() => {});
  }
}

const SHOWN_MAILS = 5;

async function resetData({ settings, screen, confirm }: DevelopmentOptions): Promise<boolean> {
  const { dataDir, isYes } = settings;
  if (!isYes && !await confirm(`Remove all data in "${dataDir}"? [y/N] `)) {
    screen.print("Nothing was removed");
    return false;
  }
  for (const name of DATA) await rm(join(dataDir, name), { recursive: true, force: true });
  return true;
}

interface Keeper {
  /** Restarts parts of this stack from now on. */
  keep(stack: Stack): void;
  ended(part: PartName, reason: string): void;
}

/** Returns a keeper that restarts parts that end on their own, a few times in a row. */
function openKeeper({ screen, signal }: Pick<DevelopmentOptions, "screen" | "signal">): Keeper {
  const ends = new Map<PartName, number[]>();
  let kept: Stack | undefined;

  async function ended(part: PartName, reason: string): Promise<void> {
    const times = [...ends.get(part) ?? [], Date.now()];
    ends.set(part, times);
    if (signal.aborted || kept === undefined) return;
    const wait = restartDelay(times);
    if (wait === undefined) {
      return screen.say("error", `Giving up after several restarts: ${reason}`, part);
    }
    screen.say("warn", `Restarting in ${wait / 1000} s: ${reason}`, part);
    try {
      await delay(wait, undefined, { signal });
      await kept.restart(part);
      if (!signal.aborted) screen.say("warn", "Running again", part);
    } catch (error) {
      if (!signal.aborted) await ended(part, error instanceof Error ? error.message : `${error}`);
    }
  }
  return {
    keep: (stack) => kept = stack,
    ended: (part, reason) => void ended(part, reason),
  };
}
