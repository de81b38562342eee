import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fastify } from "fastify";
import { closeConnections } from "./close_connections.ts";

test("closeConnections() ends what nobody used, and answers what comes late", async () => {
  const app = fastify({ return503OnClosing: false });
  closeConnections(app, 300);
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

test("closeConnections() ends a connection that was kept for more when its last answer is out", async () => {
  const app = fastify({ return503OnClosing: false, keepAliveTimeout: 60_000 });
  closeConnections(app, 300);
  const asked = Promise.withResolvers<void>();
  app.get("/", async () => {
    asked.resolve();
    await delay(100);
    return "here";
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  const kept = connect(port, "127.0.0.1").setEncoding("utf8");
  kept.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const answer = Array.fromAsync(kept as AsyncIterable<string>);
  await asked.promise;
  const started = performance.now();
  await app.close();
  const took = performance.now() - started;
  assert.ok(took < 3000, `${took} ms`);
  assert.match((await answer).join(""), /^HTTP\/1.1 200 [^]*here$/);
});
