import { BrowserProcess, type LaunchOptions } from "./browser_process.ts";

/**
 * Whether Chromium's sandbox is on: `on` refuses to print without it, `auto` does without it where
 * the kernel or the user (root) does not allow it, and says so.
 */
export type SandboxMode = "auto" | "on" | "off";

/** How a browser is started, with the sandbox if possible. */
export interface SandboxedLaunchOptions extends Omit<LaunchOptions, "sandbox"> {
  sandbox: SandboxMode;
  /** Told in a sentence when the browser runs without its sandbox. */
  onWarning(message: string): void;
}

/** Chromium refuses its sandbox to root. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Starts a browser, with its sandbox if the machine lets it. */
export async function launchBrowser(options: SandboxedLaunchOptions): Promise<BrowserProcess> {
  const { sandbox, onWarning, ...rest } = options;
  if (sandbox === "off" || sandbox === "auto" && isRoot()) {
    onWarning(`The browser runs without its sandbox: ${whyWithout(sandbox)}`);
    return await BrowserProcess.launch({ ...rest, sandbox: false });
  }
  try {
    return await BrowserProcess.launch({ ...rest, sandbox: true });
  } catch (error) {
    if (sandbox === "on" || !/sandbox/i.test(String(error))) throw error;
    onWarning("The browser runs without its sandbox: the kernel allows no user namespaces");
    return await BrowserProcess.launch({ ...rest, sandbox: false });
  }
}

function whyWithout(sandbox: SandboxMode): string {
  return sandbox === "off" ? "it is switched off" : "the process runs as root";
}
