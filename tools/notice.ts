/**
 * Writes NOTICE out of the lock file: every package that is installed, by licence; with `--check` it only
 * reports whether the file is stale.
 *
 * @module
 */
import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { noticeOf } from "./notice_of.ts";

const LOCK_FILE = new URL("../package-lock.json", import.meta.url);
const NOTICE = new URL("../NOTICE", import.meta.url);

const notice = noticeOf(JSON.parse(await readFile(LOCK_FILE, "utf8")));
if (process.argv.includes("--check")) {
  const found = await readFile(NOTICE, "utf8").catch(() => "");
  if (found !== notice) {
    process.stderr.write("NOTICE is stale: run node tools/notice.ts\n");
    process.exitCode = 1;
  }
} else {
  await writeFile(NOTICE, notice);
}
