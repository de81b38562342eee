import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import { fastify } from "fastify";
import { readOnlyJson } from "./read_json.ts";

/** Opens an app that notes the result of each body it receives. */
async function openServer() {
  const app = fastify({ forceCloseConnections: true });
  const outcomes: string[] = [];
  const first = Promise.withResolvers<void>();
  let taken = 0;
  const note = (outcome: string) => {
    outcomes.push(outcome);
    first.resolve();
  };
  const arrived = Promise.withResolvers<void>();
  readOnlyJson(app, {
    take: (_, bytes) => {
      taken += bytes;
      arrived.resolve();
    },
  });
  app.setErrorHandler<Error>((error) => {
    note(error.message);
    return "refused";
  });
  app.post("/", ({ body }) => {
    note(JSON.stringify(body));
    return "read";
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  return {
    ...{ outcomes, first: first.promise, arrived: arrived.promise },
    taken: () => taken,
    open: (length: number) => {
      const socket = connect(port, "127.0.0.1");
      socket.write(
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" +
          `Content-Length: ${length}\r\n\r\n`,
      );
      return socket;
    },
    [Symbol.asyncDispose]: () => app.close(),
  };
}

test("readOnlyJson() refuses a body that breaks off, so that nothing waits for its rest", {
  timeout: 10_000,
}, async () => {
  await using server = await openServer();
  const socket = server.open(100);
  socket.write('{"a":');
  await server.arrived;
  socket.destroy();
  await server.first;
  assert.deepEqual(server.outcomes, ["Cannot read the request: the connection was closed"]);
  assert.equal(server.taken(), 5);
});

test("readOnlyJson() reads a body that comes in parts, once", async () => {
  await using server = await openServer();
  const socket = server.open(7);
  socket.write('{"a":');
  await server.arrived;
  socket.write("1}");
  await once(socket, "data");
  socket.destroy();
  await once(socket, "close");
  assert.deepEqual(server.outcomes, ['{"a":1}']);
});
