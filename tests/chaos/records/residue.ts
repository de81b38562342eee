import { readdir, readFile } from "node:fs/promises";
import type { Residue } from "./records.ts";
import type { Fixture } from "../fixture/fixture.ts";
import { untilBaseline } from "../fixture/warm_up.ts";

/** Reads the state of the services and their child processes. */
export async function readResidue(fixture: Fixture): Promise<Residue> {
  const running = fixture.pods.running();
  return {
    deaths: [...fixture.deaths, ...fixture.pods.deaths],
    uncaught: [...fixture.pods.uncaught],
    strays: await straysOf(fixture.dataDir, new Set(running.map(({ process: { pid } }) => pid))),
    memory: await Promise.all(
      running.map(async ({ name, process: { pid } }) => ({ pod: name, now: await memoryOf(pid) })),
    ),
    surplus: await untilBaseline(fixture),
  };
}

/**
 * Returns the processes with the fixture's folder in their environment and without a running service above
 * them.
 */
async function straysOf(dataDir: string, living: ReadonlySet<number>): Promise<string[]> {
  const mark = `TMPDIR=${dataDir}/tmp\0`;
  const parents = new Map<number, number>();
  const marked: { pid: number; what: string }[] = [];
  for (const entry of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/.test(entry)) continue;
    const pid = Number(entry);
    const stat = await textOf(`/proc/${pid}/stat`);
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    parents.set(pid, Number(parent));
    const environment = await textOf(`/proc/${pid}/environ`);
    if (state === "Z" || !environment.includes(mark)) continue;
    const command = await textOf(`/proc/${pid}/cmdline`);
    marked.push({ pid, what: command.replaceAll("\0", " ").slice(0, 120) });
  }
  return marked.filter(({ pid }) => {
    for (let at = pid; at > 1; at = parents.get(at) ?? 0) if (living.has(at)) return false;
    return true;
  }).map(({ pid, what }) => `${pid} ${what}`);
}

async function memoryOf(pid: number): Promise<number> {
  const [, kilobytes = "0"] = /VmRSS:\s+(\d+)/.exec(await textOf(`/proc/${pid}/status`)) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

function textOf(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}
