/**
 * Writes the broker's accounts, users and permissions (`components/nats/accounts.conf`) out of
 * `libs/runtime/permissions.ts`.
 *
 * @module
 */
import {
  BROKER_USERS,
  brokerAccounts,
  type BrokerUser,
  type BrokerValue,
} from "@posthaste/messaging";
import { writeGenerated } from "./write_generated.ts";

const HEAD = `# Made by deploy/k8s/nats_accounts.ts out of libs/runtime/permissions.ts: do not edit.
# The account of the services has the calls of JetStream's interface that are named here. All of it lies under another
# prefix, OPERATOR_API, which is a secret: a permission alone would not do, since the server sends the answer to a pull
# wherever the client says.`;

/** Name of the variable in the secret file that holds the password of a user of the broker. */
export function passwordVariableOf(user: BrokerUser | "operator"): string {
  return `${user.toUpperCase()}_PASSWORD`;
}

/** Returns the broker's accounts as part of its configuration. Passwords are variables. */
export function natsAccounts(): string {
  const services = Object.fromEntries(
    BROKER_USERS.map((user) => [user, { variable: passwordVariableOf(user) }]),
  ) as Record<BrokerUser, BrokerValue>;
  const operator = { variable: passwordVariableOf("operator") };
  return [
    HEAD,
    // An included file does not see the variables of the one that includes it.
    'include "secrets/secrets.conf"',
    brokerAccounts({ operator, services, apiPrefix: { variable: "OPERATOR_API" } }),
  ].join("\n");
}

/** Writes the accounts; with `--check` it only reports whether the file is stale. */
export async function writeNatsAccounts(): Promise<void> {
  await writeGenerated(new URL("components/nats/accounts.conf", import.meta.url), natsAccounts());
}
