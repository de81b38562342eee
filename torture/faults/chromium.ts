import { readdir, readFile } from "node:fs/promises";
import process from "node:process";
import type { Fault } from "../fault.ts";

/** The browser is ended while it prints. */
export const CHROMIUM: Fault = {
  name: "chromium-kill",
  description: "SIGKILL of Chromium, or of one of its renderers, mid-print",
  mix: { sharedPdf: 0.1, ownPdf: 0.3, bulk: 0 },
  async run({ rig, random, pause, count }) {
    while (await pause(random.integer(200, 1200))) {
      const service = rig.pods.running("pdf")[0];
      const pids = service === undefined ? [] : await descendants(service.process.pid);
      if (pids.length === 0) continue;
      // The browser itself as often as all that it has started together.
      const pid = random.chance(0.5) ? pids[0] as number : random.pick(pids);
      try {
        process.kill(pid, "SIGKILL");
        count("crash", "chromium");
      } catch {
        // It has ended by itself.
      }
    }
  },
};

/** All processes below one, the nearest first. */
async function descendants(root: number): Promise<number[]> {
  const children = new Map<number, number[]>();
  for (const entry of await readdir("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await readFile(`/proc/${entry}/stat`, "utf8").catch(() => "");
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    children.set(parent, [...children.get(parent) ?? [], Number(entry)]);
  }
  const found = [...children.get(root) ?? []];
  for (const pid of found) found.push(...children.get(pid) ?? []);
  return found;
}
