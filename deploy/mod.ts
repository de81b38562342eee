/**
 * Writers of what follows from the permissions of the services: images, rights at the broker and the database,
 * network policies.
 *
 * @module
 */
export { writeImageCommands } from "./docker/image_commands.ts";
export { writeDatabaseRights } from "./k8s/database_rights_file.ts";
export { writeNatsAccounts } from "./k8s/nats_accounts.ts";
export { writeNetworkPolicies } from "./k8s/network_policies.ts";
