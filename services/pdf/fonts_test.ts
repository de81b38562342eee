import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { writeFontConfig } from "./fonts.ts";

test("writeFontConfig() lists the fonts from npm, and none of the machine", async () => {
  const dir = await mkdtemp(join(tmpdir(), "posthaste-pdf-"));
  try {
    const plain = await writeFontConfig(dir);
    const text = await readFile(plain.file, "utf8");
    assert.match(text, /<dir>[^<]*noto-color-emoji<\/dir>/);
    assert.match(text, /<family>Arial<\/family><prefer><family>Noto Sans</);
    assert.ok(!text.includes("/usr/share/fonts"));
    assert.deepEqual(await writeFontConfig(dir), plain);
  } finally {
    await rm(dir, { recursive: true });
  }
});
