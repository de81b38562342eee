import { readFileSync } from "node:fs";
import { open } from "node:fs/promises";

/** A file of JSON lines that only grows. */
export interface Journal<Line> extends AsyncDisposable {
  /** Resolves when the line is on the disk: lines that wait together are flushed together. */
  append(line: Line): Promise<void>;
}

/** Opens a journal for writing; what the file holds stays. */
export async function openJournal<Line>(file: string): Promise<Journal<Line>> {
  const handle = await open(file, "a");
  let waiting: string[] = [];
  let flushing: Promise<void> | undefined;

  async function flush(): Promise<void> {
    const lines = waiting;
    waiting = [];
    flushing = undefined;
    await handle.appendFile(lines.join(""));
    await handle.datasync();
  }
  let last: Promise<void> = Promise.resolve();
  return {
    append(line) {
      waiting.push(`${JSON.stringify(line)}\n`);
      flushing ??= last = last.then(flush);
      return flushing;
    },
    async [Symbol.asyncDispose]() {
      await last;
      await handle.close();
    },
  };
}

/** Reads all lines of a journal; a last one that was cut off is left out. */
export function readJournal<Line>(file: string): Line[] {
  return readFileSync(file, "utf8").split("\n").slice(0, -1).map((line) => JSON.parse(line));
}
