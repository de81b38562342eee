import { execFileSync } from "node:child_process";
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { NotPossibleError, openSmallDisk, type SmallDiskOptions } from "./small_disk.ts";

test("openSmallDisk() gives a program a disk that is full when it is filled, and nobody else", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "posthaste-disk-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const [dir, bin] = [join(folder, "data"), join(folder, "bin")];
  const write = () =>
    execFileSync(join(bin, "sh"), ["-c", `echo text > "${dir}/file"`], { stdio: "pipe" });
  const disk = await openOrSkip({ dir, bin, megabytes: 2, program: "/bin/sh" });
  if (disk === undefined) return t.skip("NO MOUNTS HERE, NOTHING IS TESTED");
  try {
    await disk.fill();
    assert.throws(write, /No space left on device|I\/O error/);
    await disk.free();
    write();
    assert.equal(existsSync(join(dir, "file")), false);
  } finally {
    await disk[Symbol.asyncDispose]();
  }
});

async function openOrSkip(options: SmallDiskOptions) {
  try {
    return await openSmallDisk(options);
  } catch (error) {
    if (error instanceof NotPossibleError) return undefined;
    throw error;
  }
}
