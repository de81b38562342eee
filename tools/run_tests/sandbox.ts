import { spawnSync } from "node:child_process";
import process from "node:process";

/** The user of Chromium if the tests run as root: `BROWSER_USER` of the pdf service. */
const NOBODY = 65_534;

/**
 * Runs the tests without Chromium's sandbox if the kernel allows no user namespaces, and prints a note. The
 * product then prints nothing until `SANDBOX=off` is set.
 */
export function allowNoSandbox(env: NodeJS.ProcessEnv, say: (line: string) => void): void {
  if (env["SANDBOX"] !== undefined || process.platform !== "linux") return;
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if (spawnSync("unshare", ["-U", "true"], { ...user, stdio: "ignore" }).status === 0) return;
  env["SANDBOX"] = "off";
  say("SKIPPED for want of user namespaces: Chromium's sandbox is off, and is not tested");
}
