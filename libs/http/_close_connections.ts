import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/** How long a closing server waits for connections, in milliseconds. */
export interface ClosingOptions {
  /**
   * For connections that were never used: as long as a request may be in transit that the client sent before
   * it noticed the close. @default {1000}
   */
  unusedMs?: number | undefined;
  /** For connections whose answer is not complete. @default as long as they take */
  answerMs?: number | undefined;
}

/** The interval between searches for connections whose last answer is complete. */
const LOOK_MS = 200;

/**
 * Makes `close` end although clients and load balancers hold connections open. Requests that arrive on them
 * until then are answered. A request that arrives during the close leaves its connection idle, and Node.js
 * would keep it for the full keep-alive time: such connections are closed as soon as they are idle. A stream
 * of events never ends by itself: it is ended, and the browser connects to another server, or to this one
 * again.
 */
export function closeConnections(
  app: FastifyInstance,
  { unusedMs = 1000, answerMs }: ClosingOptions = {},
): void {
  const open = new Set<Socket>();
  const streams = new Set<ServerResponse>();
  app.server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  // Covers every writer: a stream may be written without the framework.
  app.server.on("request", (request, response) => {
    if (!request.headers.accept?.includes("text/event-stream")) return;
    streams.add(response);
    // The writer of a stream may not know yet that it was ended.
    response.on("error", () => {});
    response.once("close", () => streams.delete(response));
  });
  app.addHook("preClose", (done) => {
    for (const response of streams) response.end();
    setTimeout(() => {
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    }, unusedMs).unref();
    if (answerMs !== undefined) {
      setTimeout(() => {
        for (const socket of open) socket.destroy();
      }, answerMs).unref();
    }
    const looking = setInterval(() => app.server.closeIdleConnections(), LOOK_MS).unref();
    app.server.once("close", () => clearInterval(looking));
    done();
  });
}
