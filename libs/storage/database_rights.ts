import { type CollectionAction, PERMISSIONS, PERMITTED_SERVICES } from "@posthaste/runtime";

type Permissions = typeof PERMISSIONS;

/** A service that has a database user. The pdf service has none. */
export type DatabaseUser = {
  [Name in keyof Permissions]: Permissions[Name] extends { database: object } ? Name : never;
}[keyof Permissions];

/** Actions on the documents of a collection. */
export type DatabaseAction = CollectionAction;

/** The services that have a database user: those that {@linkcode PERMISSIONS} grants a collection. */
export const DATABASE_USERS: readonly DatabaseUser[] = PERMITTED_SERVICES.filter(isDatabaseUser);

/** The view of the integrations that contains none of their logins. */
export const OPEN_INTEGRATIONS = "integrations_open" satisfies keyof Permissions["api"]["database"];

/** Users that may ask how full the database is: sizes and counts, and no document. */
export const KNOWS_SIZES: readonly DatabaseUser[] = DATABASE_USERS.filter((user) =>
  "databaseSizes" in PERMISSIONS[user]
);

/** The rights of each service, by collection; everything else is refused. */
export const DATABASE_RIGHTS: Readonly<
  Record<DatabaseUser, Readonly<Record<string, readonly DatabaseAction[]>>>
> = {
  api: PERMISSIONS.api.database,
  renderer: PERMISSIONS.renderer.database,
  mailer: PERMISSIONS.mailer.database,
  tracker: PERMISSIONS.tracker.database,
  webhooks: PERMISSIONS.webhooks.database,
  dashboard: PERMISSIONS.dashboard.database,
};

/** Returns whether a service has a database user. */
export function isDatabaseUser(name: keyof Permissions): name is DatabaseUser {
  return "database" in PERMISSIONS[name];
}
