import { BROKER_USERS, type BrokerUser, openCalls, permissionsOf } from "./permissions.ts";

/** A value of the configuration, or the name of a variable that holds it there. */
export type BrokerValue = string | { variable: string };

/** Users of the broker, with their passwords. */
export interface BrokerLogins {
  /** May do everything. */
  operator: BrokerValue;
  services: Readonly<Record<BrokerUser, BrokerValue>>;
  /**
   * Prefix of the whole JetStream interface in the place of `$JS.API`: `OPERATOR.` and a secret, since
   * anyone who knows it may use it. A permission alone would not do: the server sends the answer to a pull,
   * which may be empty, wherever the client says, and to `$JS.API.STREAM.DELETE.x` too.
   */
  apiPrefix: BrokerValue;
}

/**
 * Returns the accounts of a nats-server as a part of its configuration: the operator, and one user for each
 * service with the permissions that it needs. Values that are not variables are in the text.
 */
export function brokerAccounts({ operator, services, apiPrefix }: BrokerLogins): string {
  const imported = (subject: string, to: BrokerValue) =>
    `      { service: { account: SYS, subject: "${subject}" }, to: ${valueOf(to)} }`;
  return [
    "accounts {",
    "  SYS {",
    '    exports: [ { service: "$JS.API.>" }, { service: "CLOSED.>" } ]',
    "  }",
    "  POSTHASTE {",
    "    jetstream: enabled",
    "    imports: [",
    // The server gives an account the whole interface unless an import takes its name.
    imported("CLOSED.>", "$JS.API.>"),
    imported("$JS.API.>", typeof apiPrefix === "string" ? `${apiPrefix}.>` : apiPrefix),
    ...openCalls().map((call) => imported(call, call)),
    "    ]",
    "    users: [",
    `      { user: "operator", password: ${valueOf(operator)} }`,
    ...BROKER_USERS.flatMap((user) => userLines(user, services[user])),
    "    ]",
    "  }",
    "}",
    "system_account: SYS",
    "",
  ].join("\n");
}

function valueOf(value: BrokerValue): string {
  return typeof value === "string" ? JSON.stringify(value) : `$${value.variable}`;
}

function userLines(user: BrokerUser, password: BrokerValue): string[] {
  const { publish, subscribe } = permissionsOf(user);
  return [
    "      {",
    `        user: "${user}"`,
    `        password: ${valueOf(password)}`,
    "        permissions: {",
    ...allowed("publish", publish),
    ...allowed("subscribe", subscribe),
    "        }",
    "      }",
  ];
}

function allowed(kind: "publish" | "subscribe", subjects: readonly string[]): string[] {
  return [
    `          ${kind}: { allow: [`,
    ...subjects.map((subject) => `            ${JSON.stringify(subject)}`),
    "          ] }",
  ];
}
