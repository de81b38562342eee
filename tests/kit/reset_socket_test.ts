import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import process from "node:process";
import { test } from "node:test";
import { resetSocket } from "./reset_socket.ts";
import { until } from "./until.ts";

const openSockets = () =>
  process.getActiveResourcesInfo().filter((kind) => kind === "TCPSocketWrap").length;

for (
  const { name, prepare, code } of [
    { name: "with RST", prepare: () => {}, code: "ECONNRESET" },
    { name: "while it ends", prepare: (socket: Socket) => socket.end(), code: undefined },
    { name: "twice", prepare: resetSocket, code: "ECONNRESET" },
  ]
) {
  test(`resetSocket() closes a connection ${name}`, async () => {
    const before = openSockets();
    const server = createServer((socket) => void socket.resume().on("error", () => {})).listen(
      0,
      "127.0.0.1",
    );
    await once(server, "listening");
    const accepted = once(server, "connection");
    const { port } = server.address() as AddressInfo;
    const client = connect({ port, host: "127.0.0.1" });
    const [peer] = await accepted as [Socket];
    await until(() => client.readyState === "open");
    const closed = new Promise((resolve) => peer.once("close", resolve));
    prepare(client);
    resetSocket(client);
    await closed;
    assert.equal((peer.errored as NodeJS.ErrnoException | null)?.code, code);
    await until(() => openSockets() === before, { message: "both sockets to close" });
    server.close();
  });
}
