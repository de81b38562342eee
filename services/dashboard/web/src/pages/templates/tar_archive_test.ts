import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { tarArchive } from "./tar_archive.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

test("tarArchive() writes files that tar reads", async () => {
  const files = [
    { path: "email/welcome/subject.hbs", bytes: bytesOf("Grüße\n") },
    { path: "assets/none.bin", bytes: bytesOf("") },
    { path: "assets/block.bin", bytes: bytesOf("x".repeat(512)) },
    // Longer than the format's field for names.
    { path: `assets/${"é".repeat(90)}.txt`, bytes: bytesOf("long") },
    { path: `email/${"a".repeat(63)}/zh-Hant-TW/${"b".repeat(40)}.hbs`, bytes: bytesOf("deep") },
  ];
  const input = Buffer.from(await tarArchive(files, { at: new Date("2026-03-01T12:00:00Z") }));
  assert.equal(input.length % 512, 0);
  const tar = (...args: string[]) =>
    execFileSync("tar", [...args, "--quoting-style=literal"], { input });
  const listed = `${tar("tf", "-")}`.trim().split("\n");
  assert.deepEqual(listed, files.map(({ path }) => path));
  const [details] = `${tar("tvf", "-", "--utc")}`.split("\n");
  assert.match(details ?? "", /^-rw-r--r-- .* 2026-03-01 12:00 email\/welcome\/subject\.hbs$/);
  for (const { path, bytes } of files) {
    const read = tar("xOf", "-", path);
    assert.deepEqual(new Uint8Array(read), bytes, path);
  }
});
