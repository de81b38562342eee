/**
 * Writes the broker's accounts, users and permissions (`components/nats/accounts.conf`) out of
 * `libs/messaging/permissions.ts`; with `--check` it only tells whether the file is stale.
 *
 * @module
 */
import { BROKER_USERS, type BrokerUser, openCalls, permissionsOf } from "@posthaste/messaging";
import { writeGenerated } from "./write_generated.ts";

const HEAD =
  `# Made by deploy/k8s/nats_accounts.ts out of libs/messaging/permissions.ts: do not edit.
# The account of the services has the calls of JetStream's interface that are named here. All of it lies under another
# prefix, OPERATOR_API, which is a secret: a permission alone would not do, since the server sends the answer to a pull
# wherever the client says.`;

/** Name of the variable in the secret file that holds the password of a user of the broker. */
export function passwordVariableOf(user: BrokerUser | "operator"): string {
  return `${user.toUpperCase()}_PASSWORD`;
}

/** The broker's accounts as part of its configuration. Passwords are variables. */
export function natsAccounts(): string {
  const imported = (subject: string, to: string) =>
    `      { service: { account: SYS, subject: "${subject}" }, to: ${to} }`;
  return [
    HEAD,
    // An included file does not see the variables of the one that includes it.
    'include "secrets/secrets.conf"',
    "accounts {",
    "  SYS {",
    '    exports: [ { service: "$JS.API.>" }, { service: "CLOSED.>" } ]',
    "  }",
    "  POSTHASTE {",
    "    jetstream: enabled",
    "    imports: [",
    // The server gives an account the whole interface unless something else has that name there.
    imported("CLOSED.>", '"$JS.API.>"'),
    imported("$JS.API.>", "$OPERATOR_API"),
    ...openCalls().map((call) => imported(call, `"${call}"`)),
    "    ]",
    "    users: [",
    `      { user: "operator", password: $${passwordVariableOf("operator")} }`,
    ...BROKER_USERS.flatMap(userLines),
    "    ]",
    "  }",
    "}",
    "system_account: SYS",
    "",
  ].join("\n");
}

function userLines(user: BrokerUser): string[] {
  const { publish, subscribe } = permissionsOf(user);
  return [
    "      {",
    `        user: "${user}"`,
    `        password: $${passwordVariableOf(user)}`,
    "        permissions: {",
    "          publish: { allow: [",
    ...publish.map((subject) => `            "${subject}"`),
    "          ] }",
    "          subscribe: { allow: [",
    ...subscribe.map((subject) => `            "${subject}"`),
    "          ] }",
    "        }",
    "      }",
  ];
}

if (import.meta.main) {
  await writeGenerated(new URL("components/nats/accounts.conf", import.meta.url), natsAccounts());
}
