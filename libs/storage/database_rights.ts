import { type CollectionAction, PERMISSIONS, PERMITTED_SERVICES } from "@posthaste/runtime";

type Permissions = typeof PERMISSIONS;

/** A service that the database knows by name. The pdf service is not among them. */
export type DatabaseUser = {
  [Name in keyof Permissions]: Permissions[Name] extends { database: object } ? Name : never;
}[keyof Permissions];

/** What may be done with the documents of a collection. */
export type DatabaseAction = CollectionAction;

/** The services that the database knows by name: those that {@linkcode PERMISSIONS} names a collection for. */
export const DATABASE_USERS: readonly DatabaseUser[] = PERMITTED_SERVICES.filter(isDatabaseUser);

/** The view of the integrations that has none of their logins. */
export const OPEN_INTEGRATIONS = "integrations_open" satisfies keyof Permissions["api"]["database"];

/** Who may ask how full the database is: sizes and counts, and no document. */
export const KNOWS_SIZES: readonly DatabaseUser[] = DATABASE_USERS.filter((user) =>
  "databaseSizes" in PERMISSIONS[user]
);

/** What each service may do, by collection; all else is refused. */
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

/** Returns whether the database knows a service by name. */
export function isDatabaseUser(name: keyof Permissions): name is DatabaseUser {
  return "database" in PERMISSIONS[name];
}
