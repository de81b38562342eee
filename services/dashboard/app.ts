import cookie from "@fastify/cookie";
import { armEdge, type EdgeLimits, edgeSettings } from "@posthaste/http";
import type { SemaphoreOptions } from "@posthaste/limits";
import type { Logger } from "@posthaste/telemetry";
import type { Bus } from "@posthaste/messaging";
import type { PasswordCost, SealingKey, Store } from "@posthaste/storage";
import { fastify, type FastifyInstance } from "fastify";
import { countBodies } from "./count_bodies.ts";
import { guardRoutes } from "./guard.ts";
import { collectManageable, MANAGE_PATH, mountForTokens } from "./token_mount.ts";
import type { ReportedLimits } from "./limits.ts";
import type { Quotas } from "./quotas.ts";
import type { OidcSettings } from "./oidc.ts";
import { DASHBOARD_ERRORS } from "./http_error.ts";
import { bundleRoutes } from "./routes/bundle.ts";
import { dkimRoutes } from "./routes/dkim.ts";
import { integrationRoutes } from "./routes/integrations.ts";
import { peopleRoutes } from "./routes/people.ts";
import { messageRoutes } from "./routes/messages.ts";
import { messageStreamRoute } from "./routes/message_stream.ts";
import { overviewRoutes } from "./routes/overview.ts";
import { sessionRoutes } from "./routes/session.ts";
import { templateRoutes } from "./routes/templates.ts";
import { tokenRoutes } from "./routes/tokens.ts";
import { webhookRoutes } from "./routes/webhooks.ts";
import { DATA_HEADERS } from "@posthaste/runtime";
import type { SessionAges } from "./session.ts";
import { serveApplication } from "./static_files.ts";
import { serveSecurityContact } from "./security_contact.ts";
import { openSystemMail, type SystemMail } from "./system_mail.ts";

/** All that the dashboard needs of the world. */
export interface DashboardDeps {
  store: Store;
  bus: Pick<Bus, "ask" | "publish" | "objects" | "streamStates" | "queueStates">;
  /** SMTP passwords are sealed to it; the mailer alone opens them. */
  sealingKey: SealingKey;
  /** Secrets of webhook endpoints are sealed to it; without it none can be made. */
  webhookSealingKey?: SealingKey | undefined;
  now(): Date;
  logger: Pick<Logger, "debug" | "info" | "warn" | "error">;
}

/** Settings of the dashboard. */
export interface DashboardOptions {
  /** Where people open it. */
  publicUrl: string;
  /** Base of the HTTP interface, for examples. */
  apiUrl: string;
  sessionAges: SessionAges;
  /** @default {QUOTAS} */
  quotas?: Quotas;
  /** Whether people may sign in by password. @default {true} */
  hasPasswords?: boolean;
  /** What the hash of a password costs; tests make it cheap. @default {PASSWORD_COST} */
  passwordCost?: PasswordCost | undefined;
  /** 32 bytes that the secrets of authenticator apps are sealed under; without them there are none. */
  secondFactorKey?: Buffer | undefined;
  /** Where to report a weakness; without it there is no `/.well-known/security.txt`. */
  securityContact?: string | undefined;
  /** Asked for where the first account is made. */
  setupCode: string;
  /** What the settings page tells of the limits of other services. */
  limits: ReportedLimits;
  /** Folder of the built application; null serves the JSON interface alone. */
  builtFolder?: string | null | undefined;
  /** Name of the account that anybody may open with one click. */
  demoAccount?: string | undefined;
  /** Name or id of the account that sends what Posthaste itself writes to people. */
  systemAccount?: string | undefined;
  /** Maximum number of messages that Posthaste itself sends per hour. @default {1000} */
  maxSystemMails?: number | undefined;
  /** Where people may sign in beside here. */
  oidc?: OidcSettings | undefined;
  /** Deadlines and connections. */
  edge?: Partial<EdgeLimits> | undefined;
  /** Memory for bodies. @default 64 MB, 24 MB of one account or network */
  bodies?: SemaphoreOptions | undefined;
}

/** What a room of routes is given. */
export interface Routing {
  deps: DashboardDeps;
  options: DashboardOptions;
  /** What Posthaste itself writes; undefined if the operator has named no account for it. */
  mail: SystemMail | undefined;
}

/** Bodies of routes that say nothing else; those of templates do. */
const BODY_LIMIT = 64_000;
const BODIES: SemaphoreOptions = { max: 64_000_000, maxPerOwner: 24_000_000 };
const EDGE: EdgeLimits = {
  requestTimeoutMs: 30_000,
  idleTimeoutMs: 60_000,
  connections: { max: 2000, maxPerClient: 500 },
  // No answer takes longer, but for streams, which are ended at once.
  closing: { unusedMs: 0, answerMs: 10_000 },
};

/** Builds the dashboard's HTTP interface. It opens nothing: call `listen` or `inject`, and in the end `close`. */
export function buildApp(deps: DashboardDeps, options: DashboardOptions): FastifyInstance {
  const edge = { ...EDGE, ...options.edge };
  const app = fastify({ ...edgeSettings(edge, DASHBOARD_ERRORS), bodyLimit: BODY_LIMIT });
  armEdge(app, { limits: edge, errors: DASHBOARD_ERRORS, logger: deps.logger });
  countBodies(app, options.bodies ?? BODIES);
  app.register(cookie);
  const manageable = collectManageable();
  app.register(async (api) => {
    const { store, now } = deps;
    api.addHook("onRoute", manageable.note);
    api.addHook("onRequest", async (_request, reply) => void reply.headers(DATA_HEADERS));
    guardRoutes(api, { ...store, now, sessionAges: options.sessionAges }, options);
    const { systemAccount: account, maxSystemMails: maxPerHour } = options;
    const mail = account === undefined ? undefined : openSystemMail({ account, maxPerHour }, deps);
    const routing: Routing = { deps, options, mail };
    sessionRoutes(api, routing);
    templateRoutes(api, routing);
    bundleRoutes(api, routing);
    integrationRoutes(api, routing);
    dkimRoutes(api, routing);
    peopleRoutes(api, routing);
    tokenRoutes(api, routing);
    webhookRoutes(api, routing);
    messageRoutes(api, routing);
    messageStreamRoute(api, routing);
    overviewRoutes(api, routing);
  });
  app.register(async (manage) => mountForTokens(manage, manageable.routes, { deps, options }), {
    prefix: MANAGE_PATH,
  });
  if (options.securityContact !== undefined) {
    serveSecurityContact(app, { ...options, contact: options.securityContact, now: deps.now });
  }
  if (options.builtFolder !== null) {
    serveApplication(app, { folder: options.builtFolder, publicUrl: options.publicUrl });
  }
  return app;
}
