import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { writeFontConfig } from "./fonts.ts";

test("writeFontConfig() lists the fonts from npm, and changes its revision with more", async () => {
  const dir = await mkdtemp(join(tmpdir(), "posthaste-pdf-"));
  try {
    const plain = await writeFontConfig(dir);
    const text = await readFile(plain.file, "utf8");
    assert.match(text, /<dir>[^<]*noto-color-emoji<\/dir>/);
    assert.match(text, /<family>Arial<\/family><prefer><family>Noto Sans</);
    assert.ok(!text.includes("/usr/share/fonts"));
    assert.deepEqual(await writeFontConfig(dir), plain);
    await writeFile(join(dir, "Arial.ttf"), "");
    const more = await writeFontConfig(dir, { extraFolders: [dir] });
    assert.notEqual(more.revision, plain.revision);
    assert.ok(!(await readFile(more.file, "utf8")).includes("<family>Arial<"), "Arial is there");
    const other = join(dir, "other");
    await mkdir(other);
    await writeFile(join(other, "Zapf.otf"), "");
    const [one, same] = await Promise.all(
      [[dir, other], [other, dir]].map((extraFolders) => writeFontConfig(dir, { extraFolders })),
    );
    assert.equal(one?.revision, same?.revision, "the same fonts, whatever the order of folders");
  } finally {
    await rm(dir, { recursive: true });
  }
});
