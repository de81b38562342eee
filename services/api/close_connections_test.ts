import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { Readable } from "node:stream";
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

test("closeConnections() ends connections that were kept for more when their last answer is out", async () => {
  const app = fastify({ return503OnClosing: false, keepAliveTimeout: 60_000 });
  closeConnections(app, 300);
  const asked = Promise.withResolvers<void>();
  let waiting = 2;
  const isAsked = () => void (--waiting === 0 && asked.resolve());
  app.get("/late", async () => {
    isAsked();
    await delay(100);
    return "here";
  });
  app.get("/begun", (_request, reply) => {
    const body = Readable.from((async function* () {
      yield "he";
      isAsked();
      await delay(100);
      yield "re";
    })());
    return reply.header("content-length", 4).send(body);
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  const answers = ["/late", "/begun"].map((path) => {
    const kept = connect(port, "127.0.0.1").setEncoding("utf8");
    kept.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    return Array.fromAsync(kept as AsyncIterable<string>).then((parts) => parts.join(""));
  });
  await asked.promise;
  const started = performance.now();
  await app.close();
  const took = performance.now() - started;
  assert.ok(took < 3000, `${took} ms`);
  const [late, begun] = await Promise.all(answers);
  assert.match(late ?? "", /^HTTP\/1.1 200 [^]*connection: close[^]*here$/i);
  assert.match(begun ?? "", /^HTTP\/1.1 200 [^]*connection: keep-alive[^]*here$/i);
});
