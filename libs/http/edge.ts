import type { FastifyHttpOptions, FastifyInstance } from "fastify";
import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server } from "node:http";
import { closeConnections, type ClosingOptions } from "./_close_connections.ts";
import { connectionErrors, followExchanges } from "./connection_error.ts";
import type { EdgeErrors } from "./edge_errors.ts";
import { type ErrorHandling, handleErrors, sendError } from "./handle_errors.ts";
import { headerFault } from "./header_fault.ts";
import { type ConnectionLimits, limitConnections } from "./limit_connections.ts";

/** Limits of a server that strangers can reach. */
export interface EdgeLimits {
  /** Maximum time for a whole request to arrive, in milliseconds. */
  requestTimeoutMs: number;
  /**
   * Longest time without progress on a connection with a request in progress, in milliseconds; longer than
   * any answer takes.
   */
  idleTimeoutMs: number;
  connections: ConnectionLimits;
  closing?: ClosingOptions | undefined;
}

const CHECK_CONNECTIONS_MS = 1000;
const REQUEST_ID_PATTERN = /^[\w.:-]{1,64}$/;

/** Limits and error answers of an edge. */
export interface EdgeOptions<Code extends string> extends ErrorHandling<Code> {
  limits: EdgeLimits;
}

/** Returns the settings of Fastify for a server within its limits. */
export function edgeSettings<Code extends string>(
  { requestTimeoutMs, idleTimeoutMs, connections: { proxies = [] } }: EdgeLimits,
  errors: EdgeErrors<Code>,
): FastifyHttpOptions<Server> {
  return {
    logger: false,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: idleTimeoutMs,
    http: {
      connectionsCheckingInterval: Math.min(CHECK_CONNECTIONS_MS, requestTimeoutMs),
      // Node.js uses the longer of the two for the whole request, whichever it is.
      headersTimeout: requestTimeoutMs,
      // {@linkcode headerFault} reports it in words.
      requireHostHeader: false,
    },
    // Longer than the idle timeout of usual load balancers: they must be the ones that close.
    keepAliveTimeout: 72_000,
    trustProxy: proxies.length > 0 ? [...proxies] : false,
    requestIdHeader: false,
    genReqId: requestIdOf,
    // A connection that is already open gets its answer, and then `Connection: close`.
    return503OnClosing: false,
    clientErrorHandler: connectionErrors(errors).answer,
    // No hook runs for a path that cannot be decoded.
    frameworkErrors: (error, request, reply) =>
      sendError(reply.header("x-request-id", request.id), error, errors),
  };
}

/**
 * Keeps a server within its limits, and answers its errors. If there is a request, a refusal is thrown as an
 * `HttpError`; the error handler answers it like those of the routes.
 */
export function armEdge<Code extends string>(
  app: FastifyInstance,
  { limits: { connections, closing }, ...handling }: EdgeOptions<Code>,
): void {
  limitConnections(app.server, connections);
  closeConnections(app, closing);
  followExchanges(app.server);
  app.server.on("connect", connectionErrors(handling.errors).refuseTunnel);
  // No other expectation is supported (RFC 9110, 10.1.1), and the request is answered as it is.
  app.server.on("checkExpectation", (...exchange) => app.server.emit("request", ...exchange));
  app.addHook("onRequest", (request, _reply, done) => done(headerFault(request.raw)));
  handleErrors(app, handling);
}

/** Returns the id of a request: its `X-Request-Id` if that is short and plain, or a new one. */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && REQUEST_ID_PATTERN.test(given) ? given : randomUUID();
}
