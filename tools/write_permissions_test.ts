import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { describeConfig, DESTINATIONS, PERMISSIONS, PERMITTED_SERVICES } from "@posthaste/runtime";
import { byDay } from "@posthaste/kit";

const ROOT = join(import.meta.dirname, "..");
const CHANGE = pathToFileURL(join(import.meta.dirname, "_changed_permissions_fixture.ts")).href;

/** Prints the flags of the tracker, when loaded before a program. */
const FLAGS = `
  const { nodeFlags } = await import("${pathToFileURL(ROOT)}/dev/node_flags.ts");
  const { denoFlags } = await import("${pathToFileURL(ROOT)}/dev/deno_flags.ts");
  const env = { MONGODB_URL: "mongodb://db", NATS_URL: "nats://broker", TMPDIR: "/t" };
  const folders = { cacheDir: "/c", compiledDir: "/n", inboxDir: "/i" };
  const flags = nodeFlags("tracker", { env, root: "/r", ...folders });
  for (const flag of [...flags, ...await denoFlags("tracker", { env, root: "/r" })]) {
    console.log("flag " + flag);
  }
`;

interface Effects {
  /** The files that are stale, by their paths in the repository. */
  stale: string[];
  /** The flags of the tracker. */
  flags: string[];
}

/** Checks what is generated, with other permissions of the tracker in the list. */
async function effectsOf(change: string): Promise<Effects> {
  const env = {
    ...process.env,
    NODE_OPTIONS: `--import=${CHANGE}`,
    CHANGED_PERMISSION: change,
  };
  const flagsFirst = `--import=data:text/javascript,${encodeURIComponent(FLAGS)}`;
  const args = [flagsFirst, "tools/write_permissions.ts", "--check"];
  const { code, printed } = await new Promise<{ code: number; printed: string }>((resolve) => {
    execFile(process.execPath, args, { cwd: ROOT, env }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, printed: `${stdout}\n${stderr}` });
    });
  });
  const all = (pattern: RegExp) => [...printed.matchAll(pattern)].map(([, found = ""]) => found);
  const files = all(/^(\S+) is stale/gm);
  assert.equal(code, files.length === 0 ? 0 : 1, printed);
  const stale = files.map((file) => file.replace(`${ROOT}/`, "").replace("deploy/", "")).sort();
  const flags = all(/^flag (.*)$/gm);
  assert.ok(flags.length > 0, printed);
  return { stale, flags };
}

const PAGE = "docs/security.md";
const STALE: Readonly<Record<string, readonly string[]>> = {
  network: [PAGE, "k8s/base/tracker.yaml", "k8s/components/mongodb/mongodb.yaml"],
  programs: ["docker/Dockerfile", PAGE],
  files: ["docker/Dockerfile", PAGE],
  secrets: [PAGE],
  broker: [PAGE, "k8s/components/nats/accounts.conf"],
  database: [PAGE, "k8s/components/mongodb/rights.json"],
};
const ADDED: Readonly<Record<string, readonly string[]>> = {
  network: ["--allow-net=broker:4222"],
  programs: [
    ...["--allow-child-process", "--disable-warning=PERM0002"],
    ...["--allow-read=/r/services/tracker/_evil.sh", "--allow-run=/r/services/tracker/_evil.sh"],
  ],
  files: ["--allow-fs-read=/t", "--allow-fs-write=/t", "--allow-read=/t", "--allow-write=/t"],
};

/** All changes together. A flag names all that is allowed of its kind. */
const TOGETHER = {
  change: Object.keys(STALE).join(),
  files: [...new Set(Object.values(STALE).flat())],
  added: [
    ...Object.values(ADDED).flat().filter((flag) => !flag.startsWith("--allow-read=")),
    "--allow-read=/t,/r/services/tracker/_evil.sh",
  ],
};
/** Each change alone is left to the night: it costs a process. */
const CHANGES = [
  TOGETHER,
  ...byDay(
    [],
    Object.entries(STALE).map(([change, files]) => ({
      ...{ change, files, added: ADDED[change] ?? [] },
    })),
  ),
];

describe("a change of libs/runtime/permissions.ts", { concurrency: 2 }, () => {
  let unchanged: Effects;
  // Alone: the processes after it find the modules compiled.
  before(async () => void (unchanged = await effectsOf("nothing")));
  test("is needed: without one, no generated file is stale", () => {
    assert.deepEqual(unchanged.stale, []);
  });
  for (const { change, files, added } of CHANGES) {
    test(`makes generated files stale and changes the flags of Node and Deno: ${change}`, async () => {
      const { stale, flags } = await effectsOf(change);
      assert.deepEqual(stale, [...files].sort());
      const found = flags.filter((flag) => !unchanged.flags.includes(flag));
      assert.deepEqual(found.sort(), [...added].sort());
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
