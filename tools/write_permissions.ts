/**
 * Writes every file that is generated from `libs/runtime/permissions.ts`; with `--check` it only reports what
 * is stale.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import process from "node:process";

const MAKERS = [
  "deploy/docker/image_commands.ts",
  "deploy/k8s/nats_accounts.ts",
  "deploy/k8s/database_rights_file.ts",
  "deploy/k8s/network_policies.ts",
  "tools/permissions_page.ts",
];

const root = join(import.meta.dirname, "..");
for (const maker of MAKERS) {
  const { status } = spawnSync(process.execPath, [maker, ...process.argv.slice(2)], {
    cwd: root,
    stdio: "inherit",
  });
  if (status !== 0) process.exitCode = 1;
}
