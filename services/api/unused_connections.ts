import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/** As long as a request may be on its way that the caller sent before it knew of the end. */
const GRACE_MS = 1000;

/**
 * Closes connections on which nothing ever came, a moment after the server is told to close. Node.js
 * counts these as active (against slow attackers), not as idle, and would wait for them as long as for
 * a request; callers and balancers open some in advance.
 */
export function closeUnusedConnections(app: FastifyInstance, graceMs = GRACE_MS): void {
  const open = new Set<Socket>();
  app.server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  app.addHook("preClose", (done) => {
    setTimeout(() => {
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    }, graceMs).unref();
    done();
  });
}
