import { createServer } from "node:http";
import type { Socket } from "node:net";

/** A proxy that refuses every connection. */
export interface DenyProxy extends AsyncDisposable {
  readonly port: number;
  /** How many connections it has refused: each carries one request at most. */
  readonly refused: number;
}

/**
 * Opens a proxy on loopback that answers 403 to everything and dials nothing. Chromium uses it for every
 * address, so that a request that passes the document's policy ends here.
 */
export async function openDenyProxy(): Promise<DenyProxy> {
  let refused = 0;
  const sockets = new Set<Socket>();
  const server = createServer((_request, response) => {
    response.writeHead(403, { connection: "close" }).end();
  });
  server.on("connection", (socket: Socket) => {
    refused++;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket)).on("error", () => socket.destroy());
  });
  for (const event of ["connect", "upgrade"]) {
    server.on(event, (_request: unknown, socket: Socket) => {
      socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n");
    });
  }
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    get refused() {
      return refused;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
