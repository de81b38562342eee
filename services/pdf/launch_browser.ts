import { type LaunchOptions, startBrowser, type StartedBrowser } from "./start_browser.ts";

/**
 * Whether Chromium's sandbox is on. `auto` and `on` print nothing without it. Chromium has no sandbox for
 * root, so `auto` runs it in a service of root as {@linkcode BROWSER_USER}.
 */
export type SandboxMode = "auto" | "on" | "off";

/** How a browser is started, with its sandbox or without. */
export interface SandboxedLaunchOptions extends Omit<LaunchOptions, "sandbox" | "user"> {
  sandbox: SandboxMode;
  /** Called with a sentence when the browser runs without its sandbox. */
  onWarning(message: string): void;
}

/** The user "nobody": owns no files, and runs the browser where the service runs as root. */
export const BROWSER_USER = 65_534;

/** Returns whether the process runs as root. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Returns the id of the browser's user, if that is not the service's own. */
export function browserUser(sandbox: SandboxMode): number | undefined {
  return sandbox === "auto" && isRoot() ? BROWSER_USER : undefined;
}

/**
 * Starts a browser.
 *
 * @throws {Error} If it does not start, or if its sandbox is required and unavailable; the message contains
 * what to do.
 */
export async function launchBrowser(options: SandboxedLaunchOptions): Promise<StartedBrowser> {
  const { sandbox, onWarning, ...rest } = options;
  if (sandbox === "off") {
    onWarning("The browser runs without its sandbox: it is turned off");
    return await startBrowser({ ...rest, sandbox: false });
  }
  try {
    return await startBrowser({ ...rest, sandbox: true, user: browserUser(sandbox) });
  } catch (cause) {
    if (!/sandbox/i.test(String(cause))) throw cause;
    throw new Error(`Cannot start the browser with its sandbox: ${whyNot(String(cause))}`, {
      cause,
    });
  }
}

function whyNot(output: string): string {
  const unread = /User \d+ cannot read [^\n]+?(?=, and as root)/.exec(output)?.[0];
  if (unread !== undefined) return `${unread}; set CACHE_DIR to a folder that all users can enter`;
  if (/Running as root/.test(output)) return "the service runs as root; set SANDBOX=auto";
  return "the kernel allows no user namespaces; allow them, or set SANDBOX=off to run without a sandbox";
}
