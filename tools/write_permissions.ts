/**
 * Writes every file that is generated from `libs/runtime/permissions.ts`; with `--check` it only reports what
 * is stale.
 *
 * @module
 */
import {
  writeDatabaseRights,
  writeImageCommands,
  writeNatsAccounts,
  writeNetworkPolicies,
} from "@posthaste/deploy";
import { writePermissionsPage } from "./permissions_page.ts";

await writeImageCommands();
await writeNatsAccounts();
await writeDatabaseRights();
await writeNetworkPolicies();
await writePermissionsPage();
