/**
 * Writes every file that is generated from `libs/runtime/permissions.ts`; with `--check` it only reports what
 * is stale.
 *
 * @module
 */
import { writeImageCommands } from "../deploy/docker/image_commands.ts";
import { writeDatabaseRights } from "../deploy/k8s/database_rights_file.ts";
import { writeNatsAccounts } from "../deploy/k8s/nats_accounts.ts";
import { writeNetworkPolicies } from "../deploy/k8s/network_policies.ts";
import { writePermissionsPage } from "./permissions_page.ts";

await writeImageCommands();
await writeNatsAccounts();
await writeDatabaseRights();
await writeNetworkPolicies();
await writePermissionsPage();
