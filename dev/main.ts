import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline/promises";
import { descendantsOf } from "./descendants.ts";
import { helpText } from "./help.ts";
import { runDevelopment } from "./run_development.ts";
import { openScreen } from "./screen.ts";
import { readSettings, UsageError } from "./settings.ts";
import { startError } from "./start_error.ts";
import { watchSignals } from "./watch_signals.ts";

const root = join(import.meta.dirname, "..");
const { env, stdin, stdout } = process;
// The terminal may be closed while the parts stop in order.
stdout.on("error", () => {});

process.exit(await main());

async function main(): Promise<number> {
  try {
    const settings = readSettings(process.argv.slice(2), env, root);
    if (settings.isHelp) {
      stdout.write(helpText());
      return 0;
    }
    return await run(settings);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 2;
  }
}

async function run(settings: ReturnType<typeof readSettings>): Promise<number> {
  const screen = openScreen(stdout, settings);
  const signal = watchSignals({
    output: stdout,
    onStop: () => screen.status("stopping; press Ctrl-C again to stop immediately"),
    onRepeat: async () => {
      await signalDescendants("SIGKILL");
      screen.status("");
      screen.print("Posthaste was stopped immediately");
      process.exit(130);
    },
  });
  try {
    await runDevelopment({ settings, env, screen, root, signal, confirm });
    screen.status("");
    if (signal.aborted) screen.print("Posthaste has stopped");
    return 0;
  } catch (error) {
    screen.status("");
    // Downloads and half-started servers: all others have been stopped in order.
    await signalDescendants("SIGTERM");
    if (signal.aborted) {
      screen.print("Posthaste has stopped");
      return 0;
    }
    process.stderr.write(`${screen.paint("red", startError(error))}\n`);
    return 1;
  }
}

async function signalDescendants(name: NodeJS.Signals): Promise<void> {
  for (const pid of await descendantsOf(process.pid)) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended by itself.
    }
  }
}

async function confirm(question: string): Promise<boolean> {
  if (!stdin.isTTY) throw new UsageError("Cannot ask whether to remove the data: add --yes");
  const lines = createInterface({ input: stdin, output: stdout });
  try {
    return /^y(es)?$/i.test((await lines.question(question)).trim());
  } finally {
    lines.close();
  }
}
