import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/** As long as a request may be on its way that the caller sent before it knew of the end. */
const GRACE_MS = 1000;

/** How often it is looked for connections whose last answer is out. */
const LOOK_MS = 200;

/**
 * Has the server stop though callers and balancers hold connections open, and answers what is asked on them
 * until then. A request that was on its way when the server was told to close leaves its connection
 * idle, and Node.js would keep it for as long as before: such are closed as they come. Those on which
 * nothing ever came count as active (against slow attackers): they are closed after `graceMs`.
 */
export function closeConnections(app: FastifyInstance, graceMs = GRACE_MS): void {
  const open = new Set<Socket>();
  app.server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  app.addHook("preClose", (done) => {
    setTimeout(() => {
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    }, graceMs).unref();
    const looking = setInterval(() => app.server.closeIdleConnections(), LOOK_MS).unref();
    app.server.once("close", () => clearInterval(looking));
    done();
  });
}
