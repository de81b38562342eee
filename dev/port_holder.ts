import { readdir, readFile, readlink } from "node:fs/promises";

const LISTEN = "0A";

/**
 * Returns which process listens on a TCP port, as `node dev/main.ts (pid 4711)`; `undefined` if the system
 * does not show it, as for processes of other users.
 */
export async function portHolder(port: number): Promise<string | undefined> {
  const inodes = await listeningInodes(port);
  if (inodes.size === 0) return undefined;
  for (const pid of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/.test(pid)) continue;
    for (const fd of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
      const target = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => "");
      const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1];
      if (inode !== undefined && inodes.has(inode)) return `${await commandOf(pid)} (pid ${pid})`;
    }
  }
  return undefined;
}

async function listeningInodes(port: number): Promise<Set<string>> {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  const tables = await Promise.all(
    ["/proc/net/tcp", "/proc/net/tcp6"].map((file) => readFile(file, "utf8").catch(() => "")),
  );
  const rows = tables.flatMap((table) => table.split("\n")).map((row) => row.trim().split(/\s+/));
  return new Set(
    rows.flatMap(([, local = "", , state, , , , , , inode = ""]) =>
      state === LISTEN && local.endsWith(`:${hex}`) ? [inode] : []
    ),
  );
}

async function commandOf(pid: string): Promise<string> {
  const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  const [program = "", ...rest] = line.split("\0").filter((word) => word !== "");
  const name = program.split("/").at(-1) ?? "";
  const command = [name, ...rest].join(" ");
  return command.length > 48 ? `${command.slice(0, 47)}…` : command || "a process";
}
