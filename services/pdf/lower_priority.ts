import { readdir, readFile, writeFile } from "node:fs/promises";
import { setPriority } from "node:os";
import { processTree } from "./process_tree.ts";

/** The niceness of the browser: about a tenth of the weight of a service when cores are scarce. */
const NICENESS = 10;

/**
 * Lets everything else on the machine go before a process and those under it, which pass it on to what
 * they start. Best effort: what the system does not allow or know stays as it is.
 *
 * On Linux niceness is a thread's own, so each gets it. A process that leads a session may also stand
 * in a group of its own (sched(7), autogroup), outside of which only the group's niceness counts.
 */
export async function lowerPriority(root: number): Promise<void> {
  for (const pid of await processTree(root)) {
    const threads = await readdir(`/proc/${pid}/task`).catch(() => [String(pid)]);
    for (const thread of threads) lower(Number(thread));
  }
  const [own, group] = await Promise.all([groupOf("self"), groupOf(root)]);
  if (group === undefined || group === own) return;
  await writeFile(`/proc/${root}/autogroup`, String(NICENESS)).catch(() => undefined);
}

function lower(thread: number): void {
  try {
    setPriority(thread, NICENESS);
  } catch {
    // It has ended since.
  }
}

async function groupOf(pid: number | "self"): Promise<string | undefined> {
  const line = await readFile(`/proc/${pid}/autogroup`, "utf8").catch(() => "");
  return /autogroup-\d+/.exec(line)?.[0];
}
