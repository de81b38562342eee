import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { fastify } from "fastify";
import { closeConnections } from "./close_connections.ts";

/** Without the limits by which Node.js would end the connections in the end. */
function openServer() {
  const app = fastify({
    return503OnClosing: false,
    keepAliveTimeout: 0,
    http: { headersTimeout: 0, requestTimeout: 0 },
  });
  closeConnections(app, 300);
  return app;
}

test("closeConnections() ends what nobody used, and answers what comes late", async ({ mock }) => {
  const app = openServer();
  app.get("/", () => "here");
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  const unused = connect(port, "127.0.0.1");
  await once(app.server, "connection");
  const late = connect(port, "127.0.0.1");
  await once(app.server, "connection");
  mock.timers.enable({ apis: ["setTimeout"] });
  const closed = app.close();
  late.setEncoding("utf8").write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const [answer] = await once(late, "data");
  assert.match(answer, /^HTTP\/1.1 200 [^]*here$/);
  mock.timers.tick(299);
  await turn();
  assert.equal(unused.destroyed, false, "it is left its time");
  mock.timers.tick(1);
  await closed;
  assert.ok(unused.destroyed || (await once(unused, "close"), true));
});

test("closeConnections() ends a connection that was kept for more when its last answer is out", async () => {
  const app = openServer();
  const asked = Promise.withResolvers<void>();
  const work = Promise.withResolvers<string>();
  app.get("/", () => {
    asked.resolve();
    return work.promise;
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  const kept = connect(port, "127.0.0.1").setEncoding("utf8");
  kept.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const answer = Array.fromAsync(kept as AsyncIterable<string>);
  await asked.promise;
  const closed = app.close();
  while (app.server.listening) await turn();
  work.resolve("here");
  await closed;
  assert.match((await answer).join(""), /^HTTP\/1.1 200 [^]*here$/);
});
