import cookie from "@fastify/cookie";
import { armEdge, type EdgeLimits, edgeSettings, sendDataHeaders } from "@posthaste/http";
import type { SemaphoreOptions } from "@posthaste/limits";
import { fastify, type FastifyInstance } from "fastify";
import { countBodies } from "./count_bodies.ts";
import { guardRoutes } from "./guard.ts";
import { collectManageable, MANAGE_PATH, mountForTokens } from "./token_mount.ts";
import { openIssuedPdfs } from "./templates/issued_pdfs.ts";
import { DASHBOARD_ERRORS } from "./http_error.ts";
import { QUOTAS } from "./quotas.ts";
import { apiPageRoutes } from "./routes/api_page.ts";
import { assetRoutes } from "./routes/assets.ts";
import { batchRoutes } from "./routes/batches.ts";
import { bundleRoutes } from "./routes/bundle.ts";
import { consentRoutes } from "./routes/consent.ts";
import { dkimRoutes } from "./routes/dkim.ts";
import { integrationRoutes } from "./routes/integrations.ts";
import { partialRoutes } from "./routes/partials.ts";
import { peopleRoutes } from "./routes/people.ts";
import { messageAddressRoute } from "./routes/message_addresses.ts";
import { messageRoutes } from "./routes/messages.ts";
import { messageStreamRoute } from "./routes/message_stream.ts";
import { overviewRoutes } from "./routes/overview.ts";
import { sessionRoutes } from "./routes/session.ts";
import { suppressionRoutes } from "./routes/suppressions.ts";
import { templateRoutes } from "./routes/templates.ts";
import { tokenRoutes } from "./routes/tokens.ts";
import { webhookRoutes } from "./routes/webhooks.ts";
import { serveApplication } from "./static_files.ts";
import { serveSecurityContact } from "./security_contact.ts";
import { openUploadLimit } from "./upload_limit.ts";
import { openSystemMail } from "./system_mail.ts";
import type { DashboardDeps } from "./dashboard_deps.ts";
import type { DashboardOptions } from "./dashboard_options.ts";
import type { Routing } from "./routing.ts";

/** Body limit of routes that set none; those of templates do. */
const BODY_LIMIT = 64_000;
const BODIES: SemaphoreOptions = { max: 64_000_000, maxPerOwner: 24_000_000 };
const EDGE: EdgeLimits = {
  requestTimeoutMs: 30_000,
  idleTimeoutMs: 60_000,
  connections: { max: 2000, maxPerClient: 500 },
  // No answer takes longer, except streams, which are ended immediately.
  closing: { unusedMs: 0, answerMs: 10_000 },
};

/**
 * Builds the dashboard's HTTP interface. It opens nothing: call `listen` or `inject`, and `close`
 * at the end.
 */
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
    sendDataHeaders(api);
    guardRoutes(api, { ...store, now, sessionAges: options.sessionAges }, options);
    const { systemAccount: account, maxSystemMails: maxPerHour } = options;
    const mail = account === undefined ? undefined : openSystemMail({ account, maxPerHour }, deps);
    const maxBytes = (options.quotas ?? QUOTAS).assetBytes;
    const uploads = openUploadLimit({ maxBytes, now });
    const routing: Routing = { deps, options, mail, issued: openIssuedPdfs(deps), uploads };
    sessionRoutes(api, routing);
    templateRoutes(api, routing);
    assetRoutes(api, routing);
    partialRoutes(api, routing);
    bundleRoutes(api, routing);
    integrationRoutes(api, routing);
    dkimRoutes(api, routing);
    consentRoutes(api, routing);
    peopleRoutes(api, routing);
    tokenRoutes(api, routing);
    webhookRoutes(api, routing);
    messageRoutes(api, routing);
    messageAddressRoute(api, routing);
    batchRoutes(api, routing);
    messageStreamRoute(api, routing);
    suppressionRoutes(api, routing);
    overviewRoutes(api, routing);
    apiPageRoutes(api, routing);
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
