import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/** Answers that are not done by then are cut off: the dashboard's take no longer, but for streams. */
const GRACE_MS = 10_000;

/**
 * Has the server stop though browsers hold connections open. A stream of events never ends by itself: it
 * is ended, and the browser asks another server, or this one again. What else is being answered is
 * answered; what is not by `graceMs` is cut off.
 */
export function closeConnections(app: FastifyInstance, graceMs = GRACE_MS): void {
  const sockets = new Set<Socket>();
  const streams = new Set<ServerResponse>();
  let isClosing = false;
  app.server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  // Whatever writes the answer: a stream may be written past the framework.
  app.server.on("request", (request, response) => {
    // Else the connection would wait for another request.
    response.once("finish", () => void (isClosing && request.socket.destroySoon()));
    if (!request.headers.accept?.includes("text/event-stream")) return;
    streams.add(response);
    // Who writes to a stream may not know yet that it was ended.
    response.on("error", () => {});
    response.once("close", () => streams.delete(response));
  });
  app.addHook("preClose", (done) => {
    isClosing = true;
    for (const response of streams) response.end();
    // Connections that a browser opened in advance and never used count as active.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, graceMs).unref();
    done();
  });
}
