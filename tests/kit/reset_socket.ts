import type { Socket } from "node:net";

/**
 * Ends a connection with RST, unless it has ended already. While a FIN is on its way, it only closes it: libuv
 * refuses to reset a handle that shuts down (EINVAL), and Node would then keep it open forever.
 */
export function resetSocket(socket: Socket): void {
  if (socket.destroyed) return;
  if (socket.writableEnded && !socket.writableFinished) socket.destroy();
  else socket.resetAndDestroy();
}
