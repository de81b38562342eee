import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { findChromium } from "./find_chromium.ts";

test("findChromium() takes the one that is named, and fails when that does not start", async () => {
  const cacheDir = await mkdtemp(join(tmpdir(), "posthaste-pdf-"));
  try {
    const fake = join(cacheDir, "chromium-headless-shell");
    await writeFile(fake, "#!/bin/sh\necho Chromium 1.2.3\n");
    await chmod(fake, 0o755);
    const found = await findChromium({ chromiumPath: fake, cacheDir });
    assert.deepEqual([found.version, found.headlessShell], ["Chromium 1.2.3", true]);
    assert.deepEqual(await findChromium({ path: `/nowhere:${cacheDir}`, cacheDir }), found);
    await assert.rejects(
      findChromium({ chromiumPath: join(cacheDir, "none"), cacheDir }),
      /Cannot start Chromium at ".*none"/,
    );
  } finally {
    await rm(cacheDir, { recursive: true });
  }
});
