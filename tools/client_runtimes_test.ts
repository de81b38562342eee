import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { nightly, openStubServer } from "@posthaste/kit";
import { buildClient } from "./build_client.ts";

nightly("tools/build_client_test.ts", "client/client_test.ts");

const execute = promisify(execFile);

/** Bun as an npm package. It is fetched here, as nothing else needs it. */
const BUN = "@oven/bun-linux-x64-baseline";
const BUN_VERSION = "1.4.5";
const NO_BUN = process.platform === "linux" && process.arch === "x64"
  ? false
  : "NO BUN: its package is for Linux on x64";

const folder = mkdtempSync(join(tmpdir(), "posthaste-runtimes-"));
const built = join(folder, "node_modules/@posthaste/client");
mkdirSync(join(built, ".."), { recursive: true });
buildClient(built);
after(() => rmSync(folder, { recursive: true }));

writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
writeFileSync(
  join(folder, "program.mjs"),
  `import { createClient, PosthasteError } from "@posthaste/client";
   import { verify } from "@posthaste/client/webhooks";
   const [url] = (globalThis.Deno?.args ?? process.argv.slice(2));
   const posthaste = createClient({ url, token: "ph_a" });
   const { id } = await posthaste.send(5, 3, { from: { email: "a@b.example" }, to: [] });
   const found = [];
   for await (const { id } of posthaste.sends.list()) found.push(id);
   const refused = await posthaste.sends.get("snd_x").catch((error) => error);
   const vector = {
     "webhook-id": "evt_01kbz0000000000000000000000000001s",
     "webhook-timestamp": "1767323046",
     "webhook-signature": "v1,bkEm1TM1GkNtOpoxqPk/hqiYWek9G+RPu/HUh3uIcoU=",
   };
   const body = \`{"id":"\${vector["webhook-id"]}","type":"message.sent"}\`;
   const secret = "whsec_cG9zdGhhc3RlLXRlc3Qtc2VjcmV0LTMyLWJ5dGVzISE=";
   const { type } = await verify(body, vector, secret, { now: 1767323046000 });
   const isError = refused instanceof PosthasteError;
   console.log(JSON.stringify({ id, found, type, isError, code: refused.code }));`,
);

const EXPECTED = {
  ...{ id: "snd_1", found: ["snd_1", "snd_2"], type: "message.sent" },
  ...{ isError: true, code: "unknown_send" },
};

/** Runs the program beside a server that is busy first, and then breaks a connection. */
async function run(program: string, ...args: readonly string[]): Promise<void> {
  await using stub = await openStubServer((count, { seen: { route }, response }) => {
    if (count === 1) return { status: 503, headers: { "retry-after": "0" }, body: {} };
    if (count === 2) return void response.destroy();
    if (route.startsWith("POST")) return { status: 200, body: { id: "snd_1" } };
    if (route.includes("/sends/snd_x")) {
      return { status: 404, body: { error: "There is no such send", code: "unknown_send" } };
    }
    const page = route.includes("cursor-2")
      ? { data: [{ id: "snd_2" }], next: null }
      : { data: [{ id: "snd_1" }], next: "cursor-2" };
    return { status: 200, body: page };
  });
  const { stdout } = await execute(program, [...args, "program.mjs", `${stub.url}/v1`], {
    cwd: folder,
    timeout: 60_000,
  });
  assert.deepEqual(JSON.parse(stdout), EXPECTED);
  const keys = stub.seen.slice(0, 3).map(({ headers }) => headers["idempotency-key"]);
  assert.match(String(keys[0]), /^[\w-]{36}$/);
  assert.deepEqual(keys, [keys[0], keys[0], keys[0]]);
}

test("the built client sends, lists and verifies on Node", () => run(process.execPath));

test("the built client sends, lists and verifies on Deno", () =>
  run(
    join(import.meta.dirname, "../node_modules/.bin/deno"),
    ...["run", "--quiet", "--node-modules-dir=manual", "--allow-net=127.0.0.1", "--no-lock"],
  ));

test("the built client sends, lists and verifies on Bun", { skip: NO_BUN }, async () => {
  const home = mkdtempSync(join(folder, "bun-"));
  const wanted = `${BUN}@${BUN_VERSION}`;
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefix", home];
  await execute("npm", ["install", ...options, wanted], { cwd: home, timeout: 120_000 });
  await run(join(home, "node_modules", BUN, "bin/bun"), "run");
});
