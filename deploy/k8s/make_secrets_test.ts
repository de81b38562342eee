import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { makeSecrets } from "./make_secrets.ts";

test("npm run --silent secrets prints the Secrets for kubectl and nothing else", () => {
  const { stdout, stderr, status } = spawnSync("npm", ["run", "--silent", "secrets"], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  const { kind, items } = JSON.parse(stdout) as {
    kind: string;
    items: { kind: string; metadata: { name: string } }[];
  };
  assert.equal(kind, "List");
  assert.deepEqual(items.map(({ metadata }) => metadata.name), Object.keys(makeSecrets()));
});
