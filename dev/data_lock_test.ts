import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { lockData, LockedError } from "./data_lock.ts";

test("lockData() locks a folder for one process, and then for the next one", async (context) => {
  const dir = await mkdtemp(join(tmpdir(), "posthaste-dev-"));
  context.after(() => rm(dir, { recursive: true }));
  {
    await using _lock = await lockData(dir);
    await assert.rejects(lockData(dir), (error) => {
      assert.ok(error instanceof LockedError);
      assert.match(error.message, new RegExp(`already running \\(pid ${process.pid}\\)`));
      return true;
    });
  }
  await using _again = await lockData(dir);
});

test("lockData() takes over from a process that is gone", async (context) => {
  const dir = await mkdtemp(join(tmpdir(), "posthaste-dev-"));
  context.after(() => rm(dir, { recursive: true }));
  // No process has this id, and the second one's is another process's by now.
  for (const stale of ["99999999 1\n", `${process.pid} 1\n`, ""]) {
    await writeFile(join(dir, "lock"), stale);
    await using _lock = await lockData(dir);
  }
});
