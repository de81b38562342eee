import {
  ENDPOINTS,
  type Integration,
  type Priority,
  type Send,
  type SendLimits,
} from "@posthaste/contracts";
import {
  armEdge,
  type EdgeLimits,
  edgeSettings,
  limitRate,
  needingNoBody,
  type RateLimitOptions,
  readOnlyJson,
  refuseOtherMethods,
  sendDataHeaders,
} from "@posthaste/http";
import { API_ERRORS } from "./http_error.ts";
import type { MailContentDeps } from "@posthaste/messaging";
import type { StorePart } from "@posthaste/storage";
import { count, type Logger } from "@posthaste/telemetry";
import {
  fastify,
  type FastifyInstance,
  type FastifyRequest,
  type onRequestHookHandler,
} from "fastify";
import { authenticate, type AuthenticateDeps } from "./authenticate.ts";
import { type ByteQuotaLimits, openByteQuota } from "./byte_quota.ts";
import { type DispatcherLimits, openDispatcher } from "./dispatcher.ts";
import { openPriorityBudget, type PriorityBudgetOptions } from "./priority_budget.ts";
import { openLateAcceptances } from "./late_acceptance.ts";
import { noteBodyHash } from "./idempotency.ts";
import { batchBodyReader, recipientsReader, sendBodyReader } from "./read_send_body.ts";
import type { RenderTemplateDeps } from "./render_template.ts";
import { RequestStore, type StoreOperations } from "./request_store.ts";
import { spanRequests } from "./request_span.ts";
import { type CapacityOptions, openCapacity } from "./capacity.ts";
import { openFeedWaiters } from "./feed_waiters.ts";
import { batchEndRoutes } from "./routes/batch_end.ts";
import { batchRoutes, batchSearchRoutes } from "./routes/batches.ts";
import { eventsRoute } from "./routes/events.ts";
import { integrationsRoute } from "./routes/integrations.ts";
import { openApiRoute } from "./routes/openapi.ts";
import { dryRunRoute } from "./routes/dry_run.ts";
import { messageExplainRoute } from "./routes/message_explain.ts";
import { messageRoute } from "./routes/message.ts";
import { cancelRoutes } from "./routes/message_cancel.ts";
import { messageContentRoute } from "./routes/message_content.ts";
import { messageListRoute } from "./routes/message_list.ts";
import { retryRoutes } from "./routes/message_retry.ts";
import { sendListRoute } from "./routes/send_list.ts";
import { pdfRenderRoute } from "./routes/pdf_render.ts";
import { renderRoute } from "./routes/render.ts";
import { sendRoute } from "./routes/send.ts";
import { scheduleRoute } from "./routes/send_schedule.ts";
import { sendStateRoute } from "./routes/send_state.ts";
import { shownImageRoute } from "./routes/shown_image.ts";
import { serviceRoute } from "./routes/service.ts";
import { suppressionChangeRoutes, suppressionListRoute } from "./routes/suppressions.ts";
import { templatesRoute } from "./routes/templates.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The store, within the limits of this request. */
    store: RequestStore;
  }
}

/** The operations of the store that the interface uses, some of them from memory (`cached_reads.ts`). */
type ApiStore =
  & StoreOperations
  & StorePart<
    | "audit.note"
    | `batches.${"cancel" | "close" | "count" | "create" | "find" | "findCreated"}`
    | `batches.${"list" | "pinPdfs"}`
    | `events.${"bounds" | "grown" | "list"}`
    | `messages.${"cancel" | "cancelSend" | "cancelSome" | "groupReasons" | "labelsOfFound"}`
    | `messages.${"retry" | "search"}`
    | `sends.${"search" | "withdraw"}`
    | `suppressions.${"add" | "among" | "list" | "remove"}`
    | `tokens.${"find" | "touch"}`
    | `usage.${"list" | "note"}`
    | "waiting.rescheduleSend"
  >;

/** All that the interface needs from outside. */
export interface ApiDeps extends ApiStore, MailContentDeps, Pick<AuthenticateDeps, "clock"> {
  /** Returns whether mail of an integration has to wait in the ledger. */
  mustWait(integration: Integration, priority: Priority): boolean;
  /**
   * Publishes an accepted send, or leaves it waiting in the ledger. It may fail: the reconciler
   * redispatches.
   */
  dispatch(send: Send): Promise<void>;
  render: RenderTemplateDeps["render"];
  checkBroker: RenderTemplateDeps["checkBroker"];
  now(): Date;
  logger: Pick<Logger, "debug" | "info" | "warn" | "error">;
}

/** Limits of the interface. `config.ts` has their values. */
export interface ApiOptions {
  /** Largest request body, in bytes. */
  bodyLimit: number;
  /** Address of management by token, which `GET /v1` reports. */
  manageUrl: string | undefined;
  /** Public base address of stored images that mails show; without it none are served. */
  assetsUrl: string | undefined;
  /** Recipients and attachments of one send. */
  sendLimits: SendLimits;
  /** How far ahead a send may be scheduled, in milliseconds. */
  maxScheduleMs: number;
  /** Requests that one token may make within `rateWindowMs`; 0 sets no limit. */
  rateLimit: number;
  /** Searches for sends and messages that one token may make per second; 0 sets no limit. */
  searchRateLimit: number;
  /** Contents, PDFs and dry runs that one token may request per second; 0 sets no limit. */
  heavyRateLimit: number;
  /** Window of the rate limit, in milliseconds. */
  rateWindowMs: number;
  /** Maximum wait for a renderer, in milliseconds. */
  renderTimeoutMs: number;
  /** Maximum wait for a PDF, in milliseconds. */
  printTimeoutMs: number;
  /** Longest time that one request waits for the database, in milliseconds. */
  ledgerTimeoutMs: number;
  /** How much work may be in progress; beyond it, requests get 503. */
  capacity: CapacityOptions;
  /** How much work is accepted while the broker is slow or gone. */
  dispatcher: DispatcherLimits;
  /** What one account may send with transactional priority. */
  priorityBudget: PriorityBudgetOptions;
  /** Bytes of sends that one account may have accepted. */
  byteQuota: ByteQuotaLimits;
  /** Entries on the suppression list of one account. */
  maxSuppressions: number;
  /** Deadlines and connections. */
  edge: EdgeLimits;
}

/**
 * Builds the HTTP interface. It opens nothing: call `listen` or `inject`, and `close` at the end.
 * `close` waits for requests in flight and for accepted sends on their way to the broker.
 */
export function buildApp(deps: ApiDeps, options: ApiOptions): FastifyInstance {
  const { bodyLimit, edge } = options;
  const app = fastify({ ...edgeSettings(edge, API_ERRORS), bodyLimit });
  spanRequests(app, deps.logger);
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    done();
  });
  sendDataHeaders(app);
  armEdge(app, {
    limits: edge,
    errors: API_ERRORS,
    logger: deps.logger,
    onError: (code) => count("posthaste.accept.refused", 1, { "posthaste.reason": code }),
  });
  app.decorateRequest("bodyHash", "");
  readOnlyJson(app, {
    take: ({ store, caller }, bytes) => store.takeBody(bytes, caller.accountId),
    see: noteBodyHash,
    mayLackBody: needingNoBody(ENDPOINTS),
  });
  const refuseMethods = refuseOtherMethods(app);
  addRoutes(app, { deps, options });
  app.after(refuseMethods);
  return app;
}

interface Routing {
  deps: ApiDeps;
  options: ApiOptions;
}

function addRoutes(app: FastifyInstance, { deps, options }: Routing): void {
  const { logger, render, checkBroker, now, clock } = deps;
  const { renderTimeoutMs, printTimeoutMs, maxScheduleMs, sendLimits } = options;
  const { dispatcher, late } = boundStore(app, { deps, options });
  const budget = openPriorityBudget(options.priorityBudget);
  const quota = openByteQuota(deps, options.byteQuota);
  app.addHook("onClose", () => quota[Symbol.asyncDispose]());
  const waiters = openFeedWaiters(deps);
  app.addHook("preClose", (done) => {
    waiters[Symbol.dispose]();
    done();
  });
  const readBody = sendBodyReader(sendLimits);
  const { rateLimit: max, rateWindowMs } = options;

  if (options.assetsUrl !== undefined) shownImageRoute(app);
  app.register(async (v1) => {
    const authenticateCaller = authenticate(deps);
    v1.addHook("onRequest", authenticateCaller);
    if (max > 0) v1.addHook("onRequest", limitRate({ max, windowMs: rateWindowMs, callerOf }));
    renderRoute(v1, { render, checkBroker, renderTimeoutMs, logger });
    const sending = {
      quota,
      admits: (isRepeatable: boolean) => (isRepeatable || !late.isFull) && dispatcher.admits(),
      mustWait: deps.mustWait,
      priorityFor: (accountId: string, count: number) =>
        budget.priorityFor(accountId, count, performance.now()),
      startDispatch: dispatcher.start,
      readBody,
      audit: deps.audit,
      suppressions: deps.suppressions,
      now,
      maxScheduleMs,
    };
    sendRoute(v1, sending);
    batchRoutes(v1, {
      ...{ ...sending, batches: deps.batches },
      ...{
        readBatchBody: batchBodyReader(sendLimits),
        readRecipients: recipientsReader(sendLimits),
      },
    });
    batchEndRoutes(v1, deps);
    messageRoute(v1);
    sendStateRoute(v1, deps);
    scheduleRoute(v1, { ...deps, maxScheduleMs });
    serviceRoute(v1, {
      limits: {
        recipients: sendLimits.maxRecipients,
        attachments: sendLimits.maxAttachments,
        bodyBytes: options.bodyLimit,
      },
      manageUrl: options.manageUrl,
    });
    openApiRoute(v1);
    templatesRoute(v1, "email");
    templatesRoute(v1, "pdf");
    integrationsRoute(v1, { now });
    const { searchRateLimit, heavyRateLimit } = options;
    const within = clock === undefined ? {} : { clock };
    const limitSearch = limiterOf({ name: "search", max: searchRateLimit, ...within });
    limited(v1, limitSearch, (searches) => {
      messageListRoute(searches, deps);
      sendListRoute(searches, deps);
      batchSearchRoutes(searches, deps);
      suppressionListRoute(searches, deps);
    });
    limited(v1, limiterOf({ name: "heavy", max: heavyRateLimit, ...within }), (heavy) => {
      dryRunRoute(heavy, { ...deps, quota, readBody, renderTimeoutMs, maxScheduleMs });
      messageContentRoute(heavy, deps);
      pdfRenderRoute(heavy, { ...deps, printTimeoutMs });
    });
    eventsRoute(v1, { ...deps, waiters, limitSearch, authenticate: authenticateCaller });
    cancelRoutes(v1, deps);
    retryRoutes(v1, deps);
    suppressionChangeRoutes(v1, { ...deps, maxSuppressions: options.maxSuppressions });
    messageExplainRoute(v1, deps);
  }, { prefix: "/v1" });
}

/** Returns the hook that limits requests per second; `undefined` without a limit. */
function limiterOf(
  limits: Omit<RateLimitOptions, "windowMs" | "callerOf">,
): onRequestHookHandler | undefined {
  return limits.max > 0 ? limitRate({ ...limits, windowMs: 1000, callerOf }) : undefined;
}

function callerOf({ caller }: FastifyRequest): string {
  return caller._id;
}

/** Adds routes that have a limit of their own beside that of the token. */
function limited(
  app: FastifyInstance,
  limit: onRequestHookHandler | undefined,
  add: (routes: FastifyInstance) => void,
): void {
  app.register(async (routes) => {
    if (limit !== undefined) routes.addHook("onRequest", limit);
    add(routes);
  });
}

/** Opens a store for every request. Dispatches or withdraws the sends whose acceptance came too late. */
function boundStore(app: FastifyInstance, { deps, options }: Routing) {
  const { logger, sends } = deps;
  const limits = options.dispatcher;
  const dispatcher = openDispatcher({ dispatch: deps.dispatch, logger, limits });
  const late = openLateAcceptances({ sends, startDispatch: dispatcher.start, logger });
  const shared = {
    store: deps,
    capacity: openCapacity(options.capacity),
    timeoutMs: options.ledgerTimeoutMs,
    onUnanswered: late.follow,
    logger,
  };
  // Every request gets its own store before anything reads it.
  app.decorateRequest("store", null as unknown as RequestStore);
  app.addHook("onRequest", (request, reply, done) => {
    const store = new RequestStore(shared);
    request.store = store;
    reply.raw.once("close", () => store.leave());
    done();
  });
  app.addHook("onClose", async () => {
    await late[Symbol.asyncDispose]();
    await dispatcher[Symbol.asyncDispose]();
  });
  return { dispatcher, late };
}
