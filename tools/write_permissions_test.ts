import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { describeConfig, DESTINATIONS, PERMISSIONS, PERMITTED_SERVICES } from "@posthaste/runtime";

const ROOT = join(import.meta.dirname, "..");
const CHANGE = pathToFileURL(join(import.meta.dirname, "_changed_permissions_fixture.ts")).href;

interface Ended {
  code: number;
  printed: string;
}

/** Runs a program with other permissions of the tracker in the list. */
async function runWith(change: string, args: readonly string[]): Promise<Ended> {
  const env = {
    ...process.env,
    NODE_OPTIONS: `--import=${CHANGE}`,
    CHANGED_PERMISSION: change,
  };
  return await new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: ROOT, env }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, printed: stdout + stderr });
    });
  });
}

/** Returns the files that are stale under a change, by their paths in the repository. */
async function staleUnder(change: string): Promise<string[]> {
  const { code, printed } = await runWith(change, ["tools/write_permissions.ts", "--check"]);
  const files = [...printed.matchAll(/^(\S+) is stale/gm)].map(([, file = ""]) => file);
  assert.equal(code, files.length === 0 ? 0 : 1, printed);
  return files.map((file) => file.replace(`${ROOT}/`, "").replace("deploy/", "")).sort();
}

const PAGE = "docs/security.md";
const STALE: Readonly<Record<string, readonly string[]>> = {
  nothing: [],
  network: [PAGE, "k8s/base/tracker.yaml", "k8s/components/mongodb/mongodb.yaml"],
  programs: ["docker/Dockerfile", PAGE],
  files: ["docker/Dockerfile", PAGE],
  secrets: [PAGE],
  broker: [PAGE, "k8s/components/nats/accounts.conf"],
  database: [PAGE, "k8s/components/mongodb/rights.json"],
};

/** A program that prints the flags of the tracker. */
const FLAGS = `
  import { nodeFlags } from "./dev/node_flags.ts";
  import { denoFlags } from "./dev/deno_flags.ts";
  const env = { MONGODB_URL: "mongodb://db", NATS_URL: "nats://broker", TMPDIR: "/t" };
  const folders = { cacheDir: "/c", compiledDir: "/n", inboxDir: "/i" };
  const flags = nodeFlags("tracker", { env, root: "/r", ...folders });
  console.log([...flags, ...await denoFlags("tracker", { env, root: "/r" })].join("\\n"));
`;

async function flagsUnder(change: string): Promise<string[]> {
  const args = ["--input-type=module", "--eval", FLAGS];
  const { code, printed } = await runWith(change, args);
  assert.equal(code, 0, printed);
  return printed.trim().split("\n");
}

const ADDED: Readonly<Record<string, readonly string[]>> = {
  network: ["--allow-net=broker:4222"],
  programs: [
    ...["--allow-child-process", "--disable-warning=PERM0002"],
    ...["--allow-read=/r/services/tracker/_evil.sh", "--allow-run=/r/services/tracker/_evil.sh"],
  ],
  files: ["--allow-fs-read=/t", "--allow-fs-write=/t", "--allow-read=/t", "--allow-write=/t"],
};

describe("a change of libs/runtime/permissions.ts", { concurrency: 2 }, () => {
  for (const [change, files] of Object.entries(STALE)) {
    test(`makes the generated files stale: ${change}`, async () => {
      assert.deepEqual(await staleUnder(change), [...files].sort());
    });
  }
  const unchanged = flagsUnder("nothing");
  for (const [change, expected] of Object.entries(ADDED)) {
    test(`changes the flags of Node and Deno: ${change}`, async () => {
      const before = await unchanged;
      const added = (await flagsUnder(change)).filter((flag) => !before.includes(flag));
      assert.deepEqual(added.sort(), [...expected].sort());
    });
  }
});

test("PERMISSIONS names exactly the secrets in a service's settings", async () => {
  for (const name of PERMITTED_SERVICES) {
    const { CONFIG } = await import(`../services/${name}/config.ts`);
    const secrets = describeConfig(CONFIG).filter(({ secret }) => secret).map(({ name }) => name);
    assert.deepEqual([...PERMISSIONS[name].secrets].sort(), secrets.sort(), name);
  }
});

test("PERMISSIONS dials the servers of its secrets, and has rights there", () => {
  for (const name of PERMITTED_SERVICES) {
    const { dials, secrets, broker, ...rest } = PERMISSIONS[name];
    const has = (list: readonly string[], each: string) => list.includes(each);
    for (const [to, right] of [["database", "database" in rest], ["broker", broker]] as const) {
      const asks = [has(dials, to), has(secrets, DESTINATIONS[to].setting), Boolean(right)];
      assert.deepEqual(new Set(asks).size, 1, `${name} ${to}`);
    }
  }
});
