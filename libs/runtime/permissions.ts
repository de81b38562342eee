/**
 * What each service may do: one list, from which all enforcement is generated.
 *
 * | what enforces it | what makes it |
 * | --- | --- |
 * | flags of Node and Deno | `dev/node_flags.ts`, `dev/deno_flags.ts` |
 * | commands of the images | `deploy/docker/image_commands.ts` |
 * | accounts of the broker | `libs/messaging/permissions.ts`, `deploy/k8s/nats_accounts.ts` |
 * | users of the database | `libs/storage/database_rights.ts`, `deploy/k8s/database_rights_file.ts` |
 * | network policies | `deploy/k8s/network_policies.ts` |
 * | the table in `docs/security.md` | `tools/permissions_page.ts` |
 *
 * After a change run `node tools/write_permissions.ts`; `npm run check` refuses what is stale.
 *
 * @module
 */
import type {
  CollectionAction,
  Destination,
  Place,
  ProgramPermissions,
} from "./service_permissions.ts";

/** Destinations of connections. */
export const DESTINATIONS = {
  database: { setting: "MONGODB_URL", ports: [27_017], pods: "mongodb", called: "MongoDB" },
  broker: { setting: "NATS_URL", ports: [4222], pods: "nats", called: "NATS" },
  telemetry: {
    setting: "OTEL_EXPORTER_OTLP_ENDPOINT",
    ports: [4317, 4318],
    elsewhere: { namespace: "observability", pods: "opentelemetry-collector" },
    component: "observability",
    called: "the collector of telemetry",
  },
  smtpServers: {
    setting: "SMTP_PORTS",
    ports: [25, 465, 587, 2525],
    why:
      "SMTP servers of customers. The mailer itself judges each address (libs/egress): a second wall.",
    called: "public addresses",
  },
  oauthProviders: {
    setting: "OAUTH_ENDPOINTS",
    ports: [443],
    why:
      "Providers of access tokens. The mailer itself judges each address (libs/egress): a second wall.",
    called: "public addresses",
  },
  webhookEndpoints: {
    setting: "WEBHOOK_PORTS",
    ports: [443, 8443],
    why:
      "Endpoints of customers. The service itself judges each address (libs/egress): a second wall.",
    called: "public addresses",
  },
  allowedNetworks: { setting: "EGRESS_ALLOW", ports: [], called: "networks of `EGRESS_ALLOW`" },
  imageServers: {
    setting: "REMOTE_IMAGES",
    ports: [80, 443],
    component: "remote_images",
    called: "public addresses, with `REMOTE_IMAGES`",
  },
  api: { setting: "TRY_API_URL", ports: [8080], pods: "api", called: "the api" },
  identityProvider: {
    setting: "OIDC_ISSUER",
    ports: [443],
    component: "oidc",
    called: "`OIDC_ISSUER`",
  },
} as const satisfies Record<string, Destination>;

/** Name of a destination. */
export type DestinationName = keyof typeof DESTINATIONS;

/** Files and folders whose place differs by machine. */
export const PLACES = {
  cache: { setting: "CACHE_DIR", image: "/tmp" },
  temporary: { setting: "TMPDIR", image: "/tmp" },
  browser: { setting: "CHROMIUM_PATH", image: "/opt/chromium" },
  // The memory of the browser's processes is read there. Deno cannot allow it.
  processes: { image: "/proc" },
  mails: { setting: "DATA_DIR", image: "/tmp/inbox" },
} as const satisfies Record<string, Place>;

/** Name of a place. */
export type PlaceName = keyof typeof PLACES;

const READ: readonly CollectionAction[] = ["find"];
const CHANGE: readonly CollectionAction[] = ["find", "update"];
const WRITE: readonly CollectionAction[] = ["find", "insert", "update"];
const ALL: readonly CollectionAction[] = ["find", "insert", "update", "remove"];

const LOGINS = ["MONGODB_URL", "NATS_URL"] as const;
/** The MongoDB client reports to the server what it runs on. */
const MONGODB_ASKS = ["hostname", "osRelease"] as const;
const FAILED = "status.message.failed";
const RETURNED = "status.message.returned";
const SUPPRESSED = "status.message.suppressed";

/** Permissions of every program: the health server, and telemetry where it is set. */
export const EVERY_PROGRAM = {
  dials: ["telemetry"],
  listens: { HEALTH_PORT: 9090 },
} as const satisfies Pick<ProgramPermissions<DestinationName, PlaceName>, "dials" | "listens">;

/**
 * What each service may do beside {@linkcode EVERY_PROGRAM}; all else is refused. Accounts are made by the
 * operator's user and the dashboard's. Only the mailer and the dashboard read sealed passwords, and only
 * the mailer opens them. The webhooks service opens the secrets of endpoints, by a key of its own.
 */
export const PERMISSIONS = {
  api: {
    dials: ["database", "broker"],
    listens: { PORT: 8080 },
    asks: MONGODB_ASKS,
    secrets: LOGINS,
    broker: {
      makes: [
        ...["render.requested", "content.requested", "print.requested"],
        ...["send.requested.*", "send.resumed.*", "status.send.accepted"],
      ],
      reads: ["contents", "pdfs"],
    },
    database: {
      // Every service reads of which version the documents are.
      ledger: READ,
      // To note when one was used.
      tokens: CHANGE,
      templates: READ,
      versions: READ,
      integrations_open: READ,
      // To leave to the ledger what could not be sent now.
      integration_health: READ,
      // To show the state of integrations.
      integration_results: READ,
      statistics: READ,
      // To show a token's account by name.
      accounts: READ,
      sends: WRITE,
      batches: WRITE,
      idempotency_keys: WRITE,
      // To cancel and retry messages.
      messages: WRITE,
      attempts: ["find", "insert"],
      // To note who cancels, retries and reschedules; a line follows the last one.
      audit: ["find", "insert"],
      usage: WRITE,
      // To have a file there before the send that carries it.
      assets: WRITE,
      asset_names: READ,
      events: READ,
      // To list, add and remove addresses that get no mail.
      suppressions: ALL,
    },
  },
  renderer: {
    dials: ["database", "broker", "imageServers"],
    // The template sandbox, which may do nothing. Nothing else can be started by it.
    starts: ["libs/templating/_sandbox.sh"],
    threads: true,
    asks: MONGODB_ASKS,
    // Deno's own child_process looks at it.
    variables: ["NODE_V8_COVERAGE"],
    secrets: LOGINS,
    broker: {
      // A slow account goes on in the priority of the large.
      makes: ["messages.rendered.*.*", "send.resumed.*", "status.message.waiting", FAILED],
      consumes: ["RENDER_NOW", "RENDER", "INTERACTIVE"],
      reads: ["contents"],
      writes: ["contents"],
      answers: ["api", "dashboard"],
    },
    database: {
      ledger: READ,
      templates: READ,
      versions: READ,
      sends: READ,
      // Images that PDFs show, and those that a draft names.
      assets: READ,
      asset_names: READ,
    },
  },
  pdf: {
    dials: ["broker"],
    // The proxy that refuses every request of Chromium listens there.
    listens: { "127.0.0.1": 0 },
    // Fonts are in packages.
    reads: ["node_modules", "browser", "processes"],
    writes: ["cache", "temporary"],
    starts: ["browser", "services/pdf/_browser.sh", "services/pdf/_kill.sh"],
    asks: ["hostname", "uid"],
    variables: ["TMPDIR", "NODE_V8_COVERAGE"],
    secrets: ["NATS_URL"],
    broker: {
      makes: ["messages.rendered.print.*", "messages.printed.*", RETURNED, FAILED],
      consumes: ["PRINT", "INTERACTIVE"],
      reads: ["contents", "pdfs"],
      writes: ["pdfs"],
      // It runs the pages of strangers: it must not be heard where the renderer is.
      prints: ["api", "dashboard"],
    },
  },
  mailer: {
    dials: ["database", "broker", "smtpServers", "oauthProviders", "allowedNetworks"],
    asks: MONGODB_ASKS,
    secrets: [...LOGINS, "MASTER_KEY"],
    broker: {
      makes: [
        // For work for which another mailer has a connection.
        "messages.rendered.mail.*",
        "messages.printed.*",
        "send.resumed.*",
        RETURNED,
        "status.message.dropped",
        "status.message.sent",
        "status.message.deferred",
        "status.message.unknown",
        SUPPRESSED,
        FAILED,
      ],
      consumes: ["MAIL", "INTERACTIVE"],
      reads: ["contents", "pdfs"],
      answers: ["dashboard"],
    },
    database: {
      ledger: READ,
      // To suspend one whose login is refused, and to keep a refresh token that its provider replaced.
      integrations: CHANGE,
      messages: WRITE,
      attempts: ["find", "insert"],
      // To have one swept sooner.
      sends: ["update"],
      integration_health: ALL,
      // Sealed access tokens, which all mailers share.
      smtp_tokens: WRITE,
      integration_events: ["insert"],
      mailers: ALL,
      // Files that mails carry.
      assets: READ,
      // To send nothing to these addresses, and to note those that do not exist, unless the account declines.
      suppressions: ["find", "insert"],
      accounts: READ,
    },
  },
  tracker: {
    dials: ["database", "broker"],
    asks: MONGODB_ASKS,
    secrets: LOGINS,
    broker: {
      // Of attempts whose workers were lost, and of the lease to schedule.
      makes: [
        "status.lease.renewed",
        ...["send.resumed.*", "status.message.deferred", "status.message.unknown"],
        ...[SUPPRESSED, FAILED],
      ],
      consumes: ["STATUS"],
      purges: true,
    },
    database: {
      ledger: READ,
      // To remove what is kept no longer.
      sends: ["find", "update", "remove"],
      // To close those that were left open, to release and cancel their sends.
      batches: ["find", "update", "remove"],
      idempotency_keys: ["find", "remove"],
      messages: ALL,
      attempts: ["find", "insert", "remove"],
      integrations_open: READ,
      integration_health: READ,
      accounts: READ,
      statistics: WRITE,
      statistics_hints: ["find", "insert"],
      integration_results: WRITE,
      content_progress: WRITE,
      usage: ["find", "remove"],
      assets: ["find", "remove"],
      asset_names: READ,
      duties: WRITE,
      events: ["find", "insert", "remove"],
      // To report what happened to integrations and templates.
      integration_events: READ,
      templates: READ,
      versions: READ,
    },
    databaseSizes: true,
  },
  webhooks: {
    dials: ["database", "broker", "webhookEndpoints", "allowedNetworks"],
    asks: MONGODB_ASKS,
    secrets: [...LOGINS, "WEBHOOK_KEY"],
    broker: { makes: [], consumes: ["INTERACTIVE"], answers: ["dashboard"] },
    database: {
      ledger: READ,
      // To report that an endpoint gets no requests any more.
      events: ["find", "insert"],
      // For endpoints that want the addresses of recipients.
      messages: READ,
      webhooks: CHANGE,
      webhook_deliveries: WRITE,
    },
  },
  dashboard: {
    dials: ["database", "broker", "api", "identityProvider"],
    listens: { PORT: 8081 },
    reads: ["services/dashboard/web/dist"],
    // What serves its files counts the cores when it is loaded.
    asks: ["hostname", "cpus", "osRelease"],
    secrets: [
      ...LOGINS,
      "SEALING_KEY",
      "WEBHOOK_SEALING_KEY",
      "SECOND_FACTOR_KEY",
      "SETUP_CODE",
      "OIDC_CLIENT_SECRET",
    ],
    broker: {
      // A test mail is a send like any other.
      makes: [
        "preview.requested",
        "content.requested",
        "print.requested",
        "probe.requested",
        "consent.requested",
        "webhook.requested",
        "send.requested.*",
        "send.resumed.*",
        "status.send.accepted",
      ],
      reads: ["contents", "pdfs"],
      writes: ["contents"],
      looks: true,
    },
    database: {
      ledger: READ,
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
      partials: ALL,
      integrations: WRITE,
      // To have a server tried again immediately.
      integration_health: ["find", "remove"],
      integration_events: ["find", "insert"],
      webhooks: ALL,
      webhook_deliveries: WRITE,
      // Files that accounts keep.
      assets: WRITE,
      asset_names: ALL,
      // Where the feed ends, which a new endpoint begins with.
      events: READ,
      sends: WRITE,
      // To close and cancel them.
      batches: CHANGE,
      messages: WRITE,
      // To cancel messages.
      attempts: ["find", "insert"],
      mailers: READ,
      // To list, add, remove, import and export them, and to forget the address of an entry.
      suppressions: ALL,
      statistics: READ,
      integration_results: READ,
    },
  },
} as const satisfies Record<string, ProgramPermissions<DestinationName, PlaceName>>;

/** Name of a service that has permissions. */
export type PermittedService = keyof typeof PERMISSIONS;

/** The services, in the order of the list. */
export const PERMITTED_SERVICES = Object.keys(PERMISSIONS) as PermittedService[];

/** The mail catcher of trials: not a service, and not deployed. */
const INBOX_PERMISSIONS: ProgramPermissions<DestinationName, PlaceName> = {
  dials: [],
  listens: { SMTP_PORT: 1025, WEB_PORT: 8025 },
  reads: ["dev/inbox/page"],
  writes: ["mails"],
  asks: [],
};

/** What the jobs of a deployment dial; they run as the operator. */
export const JOBS_DIAL = {
  migrate: ["database", "broker"],
  "mongodb-users": ["database"],
} as const satisfies Record<string, readonly DestinationName[]>;

/** Returns what a program may do, without its part of {@linkcode EVERY_PROGRAM}. */
export function permissionsFor(
  name: PermittedService | "inbox",
): ProgramPermissions<DestinationName, PlaceName> {
  return name === "inbox" ? INBOX_PERMISSIONS : PERMISSIONS[name];
}
