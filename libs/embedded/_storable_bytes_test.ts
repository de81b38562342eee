import assert from "node:assert/strict";
import { mkdir, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { storableBytes } from "./_storable_bytes.ts";
import { temporaryDir } from "./_temporary_dir.ts";

test("storableBytes() counts the folder's present content as free", async () => {
  await using dir = await temporaryDir();
  const size = 64 * 1024 ** 2;
  await mkdir(join(dir.path, "jetstream", "a"), { recursive: true });
  await writeFile(join(dir.path, "jetstream", "a", "1.blk"), Buffer.alloc(size, 1));
  const storable = await storableBytes(dir.path);
  const { bavail, bsize } = await statfs(dir.path);
  const off = Math.abs(storable - (bavail * bsize + size) * 0.7);
  // Other programs write to the disk meanwhile, but less than that.
  assert.ok(off < size * 0.35, `${off} bytes off`);
});
