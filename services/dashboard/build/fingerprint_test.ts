import assert from "node:assert/strict";
import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fingerprintOf } from "./fingerprint.ts";

test("fingerprintOf() changes with each file that the browser's application may import", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "posthaste-fingerprint-"));
  const sources = [
    ...["services/dashboard/web/src/main.tsx", "services/dashboard/interface/batches.ts"],
    ...["services/dashboard/texts/read_marks.ts", "libs/contracts/mod.ts"],
    "package-lock.json",
  ];
  let before = fingerprintOf(folder.path);
  for (const source of sources) {
    const file = join(folder.path, source);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, "1");
    const after = fingerprintOf(folder.path);
    assert.notEqual(after, before, source);
    before = after;
  }
});
