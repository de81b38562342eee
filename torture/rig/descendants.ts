import { readdir, readFile } from "node:fs/promises";

/** A process, as the kernel shows it. */
export interface Descendant {
  pid: number;
  /** `T` when it is stopped. */
  state: string;
  command: string;
}

/** All processes below one, the nearest first. */
export async function descendants(root: number): Promise<Descendant[]> {
  const children = new Map<number, Descendant[]>();
  for (const entry of await readdir("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await textOf(`/proc/${entry}/stat`);
    const [state = "", parent = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const command = (await textOf(`/proc/${entry}/cmdline`)).replaceAll("\0", " ");
    const siblings = children.get(Number(parent)) ?? [];
    children.set(Number(parent), [...siblings, { pid: Number(entry), state, command }]);
  }
  const found = [...children.get(root) ?? []];
  for (const { pid } of found) found.push(...children.get(pid) ?? []);
  return found;
}

function textOf(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}
