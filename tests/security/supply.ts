import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findMongod } from "@posthaste/embedded";
import { openRandom } from "@posthaste/chaos";
import type { AttackRow } from "./row.ts";
import type { AttackOptions } from "./secrets.ts";

const PROGRAM = '#!/bin/sh\necho "db version v8.9.9"\n';
const OLDER = '#!/bin/sh\necho "db version v8.0.0"\n';

/** Changes the fetched and cached program: a changed one must never be started. */
export async function attackSupply({ tries, seed }: AttackOptions): Promise<AttackRow[]> {
  const random = openRandom(`supply/${seed}`);
  const started = performance.now();
  const cacheDir = await mkdtemp(join(tmpdir(), "posthaste-supply-"));
  const most = Math.min(tries, 200);
  const fileOf = (version: string, text: string) =>
    join(cacheDir, `mongod-${version}-${createHash("sha256").update(text).digest("hex")}`);
  const find = async () => (await findMongod({ env: { PATH: "/nowhere" }, cacheDir })).version;
  let through = 0;
  try {
    await writeFile(fileOf("8.0.0", OLDER), OLDER, { mode: 0o755 });
    const newer = fileOf("8.9.9", PROGRAM);
    await writeFile(newer, PROGRAM, { mode: 0o755 });
    if (await find() !== "8.9.9") throw new Error("Cannot attack the cache: it is not used");
    for (let n = 0; n < most; n++) {
      const bytes = Buffer.from(PROGRAM);
      const at = random.integer(0, bytes.length - 1);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.integer(0, 7));
      const changed = random.chance(0.3) ? bytes.subarray(0, at) : bytes;
      await writeFile(newer, changed, { mode: 0o755 });
      if (await find() !== "8.0.0") through++;
    }
  } finally {
    await rm(cacheDir, { recursive: true, force: true });
  }
  const seconds = (performance.now() - started) / 1000;
  return [{ attack: "a fetched program that was changed", tries: most, through, seconds }];
}
