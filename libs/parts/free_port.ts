import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/**
 * A TCP port on 127.0.0.1 that was free a moment ago. Another program may take it before its user
 * does, so be ready to try again.
 */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
