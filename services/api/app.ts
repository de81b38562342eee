import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { DEFAULT_SEND_LIMITS, type Send, type SendLimits } from "@posthaste/contracts";
import { DATA_HEADERS } from "@posthaste/runtime";
import { count, type Logger } from "@posthaste/telemetry";
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { toApiError, toRefusal } from "./api_error.ts";
import { authenticate, type AuthenticateDeps } from "./authenticate.ts";
import { answerConnectionError, followExchanges, refuseTunnel } from "./connection_error.ts";
import { type DispatcherLimits, openDispatcher } from "./dispatcher.ts";
import { headerFault } from "./header_fault.ts";
import { type LaneBudgetOptions, openLaneBudget } from "./lane_budget.ts";
import { openLateAcceptances } from "./late_acceptance.ts";
import type { Ledger } from "./ledger.ts";
import { limitRate } from "./rate_limit.ts";
import { readOnlyJson } from "./read_body.ts";
import { sendBodyReader } from "./read_send_body.ts";
import { Refusal } from "./refusal.ts";
import { refuseOtherMethods } from "./refuse_methods.ts";
import type { RenderTemplateDeps } from "./render_template.ts";
import { RequestLedger } from "./request_ledger.ts";
import { spanRequests } from "./request_span.ts";
import { openRoom, type RoomOptions } from "./room.ts";
import { messageRoute } from "./routes/message.ts";
import { renderRoute } from "./routes/render.ts";
import { sendRoute } from "./routes/send.ts";
import { sendStateRoute } from "./routes/send_state.ts";
import { closeConnections } from "./close_connections.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The ledger, within what this request may take of it. */
    ledger: RequestLedger;
  }
}

/** All that the interface needs of the world. */
export interface ApiDeps extends Ledger, Pick<AuthenticateDeps, "touchToken" | "clock"> {
  /** Publishes an accepted send. It may fail: the sweeper heals. */
  dispatch(send: Send): Promise<void>;
  render: RenderTemplateDeps["render"];
  checkBroker: RenderTemplateDeps["checkBroker"];
  now(): Date;
  logger: Pick<Logger, "debug" | "info" | "warn" | "error">;
}

/** Limits of the interface. */
export interface ApiOptions {
  /** Largest request body, in bytes. @default {5_000_000} */
  bodyLimit?: number;
  /** Recipients and attachments of one send. */
  sendLimits?: SendLimits;
  /** Requests that one token may make within `rateWindowMs`; 0 sets no limit. @default {100} */
  rateLimit?: number;
  /** In milliseconds. @default {1000} */
  rateWindowMs?: number;
  /** Longest wait for a renderer, in milliseconds. @default {10_000} */
  renderTimeoutMs?: number;
  /** Longest time that one request waits for the database, in milliseconds. @default {1200} */
  ledgerTimeoutMs?: number;
  /** How much may be under way at once; beyond it, requests get 503. */
  room?: RoomOptions;
  /** What is taken on while the broker is slow or gone. */
  dispatcher?: DispatcherLimits;
  /** What one account may send in the transactional lane. @default no limit */
  laneBudget?: LaneBudgetOptions;
  /** Longest time for a whole request to arrive, in milliseconds. @default {30_000} */
  requestTimeoutMs?: number;
  /**
   * Longest time in which nothing moves on a connection whose request is under way, in milliseconds;
   * longer than any answer takes. @default {60_000}
   */
  idleTimeoutMs?: number;
}

const DEFAULT_ROOM: RoomOptions = {
  maxOperations: 2000,
  maxBytes: 256_000_000,
  maxAccountBytes: 32_000_000,
};
const NO_LANE_BUDGET: LaneBudgetOptions = { rate: 0, burst: 0 };
const CHECK_CONNECTIONS_MS = 1000;
const REQUEST_ID_PATTERN = /^[\w.:-]{1,64}$/;

/**
 * Builds the HTTP interface. It opens nothing: call `listen` or `inject`, and in the end `close`,
 * which lets requests in flight finish and waits for accepted sends on their way to the broker.
 */
export function buildApp(deps: ApiDeps, options: ApiOptions = {}): FastifyInstance {
  const { bodyLimit = 5_000_000, requestTimeoutMs = 30_000, idleTimeoutMs = 60_000 } = options;
  const app = fastify({
    bodyLimit,
    logger: false,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: idleTimeoutMs,
    http: {
      connectionsCheckingInterval: Math.min(CHECK_CONNECTIONS_MS, requestTimeoutMs),
      // Node takes the longer of the two for the whole request, whichever it is.
      headersTimeout: requestTimeoutMs,
      // {@linkcode headerFault} says so in words.
      requireHostHeader: false,
    },
    // Longer than the idle timeout of usual load balancers: they must be the ones that close.
    keepAliveTimeout: 72_000,
    requestIdHeader: false,
    genReqId: requestIdOf,
    // A connection that is open already gets its answer, and then `Connection: close`.
    return503OnClosing: false,
    clientErrorHandler: answerConnectionError,
    // No hook runs for a path that cannot be decoded.
    frameworkErrors: (error, request, reply) => sendError(error, reply.headers(headersOf(request))),
  });
  closeConnections(app);
  followExchanges(app.server);
  app.server.on("connect", refuseTunnel);
  // Whatever else is expected is not done (RFC 9110, 10.1.1), and the request is answered as it is.
  app.server.on("checkExpectation", (...exchange) => app.server.emit("request", ...exchange));
  spanRequests(app, deps.logger);
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(headersOf(request));
    // Nobody is known there: a body would be read for whoever sends it.
    done(headerFault(request.raw) ?? (request.is404 ? unknownRoute() : undefined));
  });
  readOnlyJson(app);
  app.setErrorHandler((error, request, reply) => {
    const refusal = toRefusal(error);
    if (refusal.code === "internal") {
      deps.logger.error("Cannot answer a request", { error: refusal.cause, requestId: request.id });
    }
    count("posthaste.accept.refused", 1, { "posthaste.reason": refusal.code });
    // The framework would close the connection wherever a body is refused, and who still writes one
    // would find it reset instead of the answer. The rest is read and forgotten, while it may arrive.
    reply.removeHeader("connection");
    return sendError(refusal, reply);
  });
  app.setNotFoundHandler((_request, reply) => sendError(unknownRoute(), reply));
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
  const { logger, render, checkBroker, now, touchToken, clock } = deps;
  const { renderTimeoutMs = 10_000 } = options;
  const { dispatcher, late } = watchLedger(app, { deps, options });
  const budget = openLaneBudget(options.laneBudget ?? NO_LANE_BUDGET);
  const readBody = sendBodyReader(options.sendLimits ?? DEFAULT_SEND_LIMITS);
  const { rateLimit: max = 100, rateWindowMs = 1000 } = options;

  app.register(async (v1) => {
    v1.addHook(
      "onRequest",
      authenticate({
        findToken: deps.findToken,
        now,
        ...(touchToken === undefined ? {} : { touchToken }),
        ...(clock === undefined ? {} : { clock }),
      }),
    );
    if (max > 0) v1.addHook("onRequest", limitRate({ max, windowMs: rateWindowMs }));
    renderRoute(v1, { render, checkBroker, renderTimeoutMs, logger });
    sendRoute(v1, {
      admits: (isRepeatable) => (isRepeatable || !late.isFull) && dispatcher.admits(),
      laneFor: (accountId, count) => budget.laneFor(accountId, count, performance.now()),
      dispatch: dispatcher.start,
      readBody,
      now,
    });
    messageRoute(v1);
    sendStateRoute(v1);
  }, { prefix: "/v1" });
}

/** Gives every request its ledger, and sees to it that none is kept waiting nor lied to. */
function watchLedger(app: FastifyInstance, { deps, options }: Routing) {
  const { logger, withdrawSend } = deps;
  const { ledgerTimeoutMs: timeoutMs = 1200, room: limits = DEFAULT_ROOM } = options;
  const dispatcher = openDispatcher({
    dispatch: deps.dispatch,
    logger,
    ...(options.dispatcher === undefined ? {} : { limits: options.dispatcher }),
  });
  const late = openLateAcceptances({ withdrawSend, dispatch: dispatcher.start, logger });
  const shared = {
    ledger: deps,
    room: openRoom(limits),
    timeoutMs,
    onUnanswered: late.follow,
    logger,
  };
  // Every request gets its own before anything reads it.
  app.decorateRequest("ledger", null as unknown as RequestLedger);
  app.addHook("onRequest", (request, reply, done) => {
    const ledger = new RequestLedger(shared);
    request.ledger = ledger;
    reply.raw.once("close", () => ledger.leave());
    done();
  });
  app.addHook("onClose", async () => {
    await late[Symbol.asyncDispose]();
    await dispatcher[Symbol.asyncDispose]();
  });
  return { dispatcher, late };
}

/** Headers of every answer. */
function headersOf({ id }: FastifyRequest): Record<string, string> {
  return { "x-request-id": id, ...DATA_HEADERS };
}

function unknownRoute(): Refusal {
  return new Refusal("unknown_route", "Cannot find the path: there is no such route");
}

function sendError(error: unknown, reply: FastifyReply): FastifyReply {
  const { status, headers, body } = toApiError(error);
  return reply.code(status).headers(headers).send(body);
}

function requestIdOf(request: IncomingMessage): string {
  const given = request.headers["x-request-id"];
  return typeof given === "string" && REQUEST_ID_PATTERN.test(given) ? given : randomUUID();
}
