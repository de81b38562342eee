import { BROKER_USERS, type BrokerUser, openCalls, permissionsOf } from "./permissions.ts";

/** Who is to be there at the broker, and with which passwords. */
export interface BrokerLogins {
  /** May do everything. */
  operator: string;
  services: Readonly<Record<BrokerUser, string>>;
  /** Prefix under which streams are administered: `OPERATOR.` and a secret. */
  apiPrefix: string;
}

/**
 * The accounts of a nats-server, as a part of its configuration: one user for each service with the
 * permissions that it needs, and the operator. Its text holds the passwords.
 */
export function brokerAccounts({ operator, services, apiPrefix }: BrokerLogins): string {
  const imported = (subject: string, to: string) =>
    `      { service: { account: SYS, subject: "${subject}" }, to: "${to}" }`;
  return [
    "accounts {",
    "  SYS {",
    '    exports: [ { service: "$JS.API.>" }, { service: "CLOSED.>" } ]',
    "  }",
    "  POSTHASTE {",
    "    jetstream: enabled",
    "    imports: [",
    // The server gives an account the whole interface unless something else has that name there.
    imported("CLOSED.>", "$JS.API.>"),
    imported("$JS.API.>", `${apiPrefix}.>`),
    ...openCalls().map((call) => imported(call, call)),
    "    ]",
    "    users: [",
    `      { user: "operator", password: ${JSON.stringify(operator)} }`,
    ...BROKER_USERS.flatMap((user) => userLines(user, services[user])),
    "    ]",
    "  }",
    "}",
    "system_account: SYS",
    "",
  ].join("\n");
}

function userLines(user: BrokerUser, password: string): string[] {
  const { publish, subscribe } = permissionsOf(user);
  return [
    "      {",
    `        user: "${user}"`,
    `        password: ${JSON.stringify(password)}`,
    "        permissions: {",
    `          publish: { allow: ${JSON.stringify(publish)} }`,
    `          subscribe: { allow: ${JSON.stringify(subscribe)} }`,
    "        }",
    "      }",
  ];
}
