/** The services that the database knows by name. The pdf service is not among them. */
export const DATABASE_USERS = ["api", "renderer", "mailer", "tracker", "dashboard"] as const;

/** A service that the database knows by name. */
export type DatabaseUser = (typeof DATABASE_USERS)[number];

/** What may be done with the documents of a collection. */
export type DatabaseAction = "find" | "insert" | "update" | "remove";

/** The view of the integrations that has none of their logins. */
export const OPEN_INTEGRATIONS = "integrations_open";

const READ: readonly DatabaseAction[] = ["find"];
const CHANGE: readonly DatabaseAction[] = ["find", "update"];
/** Every service reads of which version the documents are. */
const LEDGER = "ledger";

const WRITE: readonly DatabaseAction[] = ["find", "insert", "update"];
const ALL: readonly DatabaseAction[] = ["find", "insert", "update", "remove"];

/** Who may ask how full the database is: it tells sizes and counts, and no document. */
export const KNOWS_SIZES: readonly DatabaseUser[] = ["tracker"];

/**
 * What each service may do, by collection; all else is refused. Accounts are made by
 * the operator's user and the dashboard's. Only the mailer and the dashboard read sealed passwords, and
 * only the mailer opens them.
 */
export const DATABASE_RIGHTS: Readonly<
  Record<DatabaseUser, Readonly<Record<string, readonly DatabaseAction[]>>>
> = {
  api: {
    [LEDGER]: READ,
    // To note when one was used.
    tokens: CHANGE,
    templates: READ,
    versions: READ,
    [OPEN_INTEGRATIONS]: READ,
    // To leave to the ledger what could not be sent now.
    integration_health: READ,
    sends: WRITE,
    idempotency_keys: WRITE,
    messages: READ,
    attempts: READ,
    usage: WRITE,
  },
  renderer: {
    [LEDGER]: READ,
    templates: READ,
    versions: READ,
    sends: READ,
  },
  mailer: {
    [LEDGER]: READ,
    // To suspend one whose login is refused.
    integrations: CHANGE,
    messages: WRITE,
    attempts: ["find", "insert"],
    // To have one swept sooner.
    sends: ["update"],
    integration_health: ALL,
    integration_events: ["insert"],
    mailers: ALL,
  },
  tracker: {
    [LEDGER]: READ,
    // To remove what is kept no longer.
    sends: ["find", "update", "remove"],
    idempotency_keys: ["find", "remove"],
    messages: ALL,
    attempts: ["find", "insert", "remove"],
    [OPEN_INTEGRATIONS]: READ,
    integration_health: READ,
    accounts: READ,
    statistics: WRITE,
    statistics_hints: ["find", "insert"],
    integration_results: WRITE,
    content_progress: WRITE,
    usage: ["find", "remove"],
    duties: WRITE,
  },
  dashboard: {
    [LEDGER]: READ,
    accounts: WRITE,
    users: ALL,
    members: ALL,
    sessions: ALL,
    invitations: ALL,
    sign_in_attempts: ALL,
    audit: ["find", "insert"],
    tokens: WRITE,
    counters: WRITE,
    templates: WRITE,
    versions: ["find", "insert"],
    drafts: ALL,
    integrations: WRITE,
    // To have a server tried again at once.
    integration_health: ["find", "remove"],
    integration_events: ["find", "insert"],
    sends: WRITE,
    messages: WRITE,
    // To cancel what nobody sends.
    attempts: ["find", "insert"],
    mailers: READ,
    statistics: READ,
    integration_results: READ,
  },
};
