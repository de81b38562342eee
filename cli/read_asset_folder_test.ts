import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readAssetFolder } from "./read_asset_folder.ts";

test("readAssetFolder() names a file by its file name, also where every object has such a field", async () => {
  const folder = await mkdtemp(join(tmpdir(), "posthaste-assets-"));
  try {
    await mkdir(join(folder, "assets"));
    for (const file of ["constructor", "toString"]) {
      await writeFile(join(folder, "assets", file), file);
    }
    const { assets, faults } = await readAssetFolder(folder);
    assert.deepEqual(faults, []);
    assert.deepEqual(assets.map(({ name, contentType }) => [name, contentType]), [
      ["constructor", "application/octet-stream"],
      ["toString", "application/octet-stream"],
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
