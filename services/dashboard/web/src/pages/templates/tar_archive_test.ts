import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { tarArchive } from "./tar_archive.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

test("tarArchive() writes files that tar reads", () => {
  const files = [
    { path: "email/welcome/subject.hbs", bytes: bytesOf("Grüße\n") },
    { path: "assets/none.bin", bytes: bytesOf("") },
    { path: "assets/block.bin", bytes: bytesOf("x".repeat(512)) },
  ];
  const input = Buffer.concat(tarArchive(files, { at: new Date("2026-03-01T12:00:00Z") }));
  assert.equal(input.length % 512, 0);
  const listed = execFileSync("tar", ["tf", "-"], { input, encoding: "utf8" });
  assert.deepEqual(listed.trim().split("\n"), files.map(({ path }) => path));
  for (const { path, bytes } of files) {
    const read = execFileSync("tar", ["xOf", "-", path], { input });
    assert.deepEqual(new Uint8Array(read), bytes, path);
  }
});

test("tarArchive() refuses a path that the format cannot hold", () => {
  const files = [{ path: `email/${"é".repeat(50)}`, bytes: bytesOf("") }];
  assert.throws(() => tarArchive(files, { at: new Date() }), /the path is too long/);
});
