import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";

/** How the dashboard is built. */
export interface BuildDashboardOptions {
  /** Folder of the repository. */
  root: string;
  /** Aborts the build; the last build stays. */
  signal?: AbortSignal;
  /** Called with a line when a build starts. */
  onProgress?: ((line: string) => void) | undefined;
}

/**
 * Builds the dashboard's pages, if their sources have changed, in a process of its own: the compiler uses
 * both cores for seconds, and memory that is released only at the end.
 *
 * @throws {Error} If the build fails; the message contains the compiler's output.
 */
export async function buildDashboard(options: BuildDashboardOptions): Promise<void> {
  const { root, signal, onProgress } = options;
  const child = spawn(process.execPath, [join(root, "services/dashboard/build/main.ts")], {
    stdio: ["ignore", "pipe", "pipe"],
    ...(signal ? { signal } : {}),
  });
  createInterface({ input: child.stdout }).on("line", (line) => onProgress?.(line));
  const [said, [code, killedBy]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  if (code === 0) return;
  throw new Error(said.trim() || `Cannot build the dashboard: it ended with ${code ?? killedBy}`);
}
