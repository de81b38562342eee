import type { FastifyHttpOptions, FastifyInstance } from "fastify";
import type { Server } from "node:http";
import { closeConnections, type ClosingOptions } from "./_close_connections.ts";
import { answerConnectionError, followExchanges, refuseTunnel } from "./connection_error.ts";
import { headerFault } from "./header_fault.ts";
import { type ConnectionLimits, limitConnections } from "./limit_connections.ts";

/** Limits of a server that strangers reach. */
export interface EdgeLimits {
  /** Maximum time for a whole request to arrive, in milliseconds. */
  requestTimeoutMs: number;
  /**
   * Longest time in which nothing moves on a connection whose request is under way, in milliseconds;
   * longer than any answer takes.
   */
  idleTimeoutMs: number;
  connections: ConnectionLimits;
  closing?: ClosingOptions | undefined;
}

const CHECK_CONNECTIONS_MS = 1000;

/** Returns the settings of Fastify for a server within its limits. */
export function edgeSettings(
  { requestTimeoutMs, idleTimeoutMs }: EdgeLimits,
): FastifyHttpOptions<Server> {
  return {
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
    // A connection that is open already gets its answer, and then `Connection: close`.
    return503OnClosing: false,
    clientErrorHandler: answerConnectionError,
  };
}

/**
 * Keeps a server within its limits, whatever comes. What is refused here is thrown as a `HttpError` where
 * there is a request; the app's error handler says it.
 */
export function armEdge(app: FastifyInstance, { connections, closing }: EdgeLimits): void {
  limitConnections(app.server, connections);
  closeConnections(app, closing);
  followExchanges(app.server);
  app.server.on("connect", refuseTunnel);
  // Whatever else is expected is not done (RFC 9110, 10.1.1), and the request is answered as it is.
  app.server.on("checkExpectation", (...exchange) => app.server.emit("request", ...exchange));
  app.addHook("onRequest", (request, _reply, done) => done(headerFault(request.raw)));
}
