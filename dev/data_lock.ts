import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { isRunning } from "@posthaste/embedded";

/** Another `npm start` uses the same data. */
export class LockedError extends Error {
  override readonly name = "LockedError";
}

/**
 * Locks a data folder for this process. The lock of a killed process is taken over.
 *
 * @throws {LockedError} A running process has it.
 */
export async function lockData(dataDir: string): Promise<AsyncDisposable> {
  await mkdir(dataDir, { recursive: true });
  const file = join(dataDir, "lock");
  const mine = `${process.pid} ${await startMark(process.pid)}\n`;
  for (;;) {
    try {
      await writeFile(file, mine, { flag: "wx" });
      return { [Symbol.asyncDispose]: () => rm(file, { force: true }) };
    } catch (error) {
      if ((error as { code?: string }).code !== "EEXIST") throw error;
    }
    const [pid = "", mark = ""] = (await readFile(file, "utf8").catch(() => "")).trim().split(" ");
    if (isRunning(Number(pid)) && await startMark(Number(pid)) === mark) {
      throw new LockedError(
        `Cannot start: npm start is already running (pid ${pid}) with the data in "${dataDir}"; ` +
          `stop it with Ctrl-C, or choose another folder with DATA_DIR`,
      );
    }
    await rm(file, { force: true });
  }
}

/**
 * Returns when a process started, if the system shows it: a process id alone may be another process's by now.
 */
async function startMark(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "-";
}
