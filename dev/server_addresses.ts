import type { RunningServer } from "@posthaste/embedded";
import type { BrokerUser } from "@posthaste/messaging";
import { type DatabaseUser, isDatabaseUser } from "@posthaste/storage";
import type { ServiceName } from "./part_name.ts";
import type { StackOptions } from "./stack_options.ts";
import { loginAs, type Users } from "./users.ts";

/** Our own servers, where no other ones are given. */
export interface Servers {
  mongod: RunningServer | undefined;
  nats: RunningServer | undefined;
}

/** Addresses of the servers, with the login of each user. */
export interface Addresses {
  operator: { mongodbUrl: string; natsUrl: string };
  services: Record<ServiceName, Record<string, string>>;
}

/**
 * Returns the servers' addresses for each service: with its own user at our servers, with the given login at
 * others.
 */
export function addressesOf(
  { mongod, nats, env, users }: Servers & { env: StackOptions["env"]; users: Users },
): Addresses {
  const { database, broker } = users;
  const mongodbAs = (user: DatabaseUser | "operator") =>
    mongod
      ? loginAs(mongod.url, user, database[user]).replace("authSource=local", "authSource=admin")
      : env["MONGODB_URL"] ?? "";
  const natsAs = (user: BrokerUser | "operator") =>
    nats ? loginAs(nats.url, user, broker[user]) : env["NATS_URL"] ?? "";
  const operatorsNats = nats
    ? `${natsAs("operator")}?api=${apiPrefixOf(users)}`
    : natsAs("operator");
  const servicesFor = (name: ServiceName) => ({
    NATS_URL: natsAs(name),
    // A service that dials no database has no user there.
    ...(isDatabaseUser(name) ? { MONGODB_URL: mongodbAs(name) } : {}),
  });
  return {
    operator: { mongodbUrl: mongodbAs("operator"), natsUrl: operatorsNats },
    services: {
      api: servicesFor("api"),
      renderer: servicesFor("renderer"),
      pdf: servicesFor("pdf"),
      mailer: servicesFor("mailer"),
      tracker: servicesFor("tracker"),
      webhooks: servicesFor("webhooks"),
      dashboard: servicesFor("dashboard"),
    },
  };
}

/** Returns the prefix of the broker's interface for the operator. */
export function apiPrefixOf({ apiSecret }: Users): string {
  return `OPERATOR.${apiSecret}`;
}
