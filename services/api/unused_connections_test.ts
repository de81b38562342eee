import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import { fastify } from "fastify";
import { closeUnusedConnections } from "./unused_connections.ts";

test("closeUnusedConnections() ends what nobody used, and answers what comes late", async () => {
  const app = fastify({ return503OnClosing: false });
  closeUnusedConnections(app, 300);
  app.get("/", () => "here");
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  const unused = connect(port, "127.0.0.1");
  await once(app.server, "connection");
  const late = connect(port, "127.0.0.1");
  await once(app.server, "connection");
  const started = performance.now();
  const closed = app.close();
  late.setEncoding("utf8").write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const [answer] = await once(late, "data");
  assert.match(answer, /^HTTP\/1.1 200 [^]*here$/);
  await closed;
  const took = performance.now() - started;
  assert.ok(took < 3000, `${took} ms`);
  assert.ok(unused.destroyed || (await once(unused, "close"), true));
});
