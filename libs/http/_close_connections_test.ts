import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { fastify } from "fastify";
import { closeConnections } from "./_close_connections.ts";

/** Opens a server without the limits by which Node.js would end the connections itself. */
function openServer() {
  const app = fastify({
    return503OnClosing: false,
    keepAliveTimeout: 0,
    http: { headersTimeout: 0, requestTimeout: 0 },
  });
  closeConnections(app, { unusedMs: 300 });
  return app;
}

test("closeConnections() closes unused connections, and answers late requests", async ({ mock }) => {
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

test("closeConnections() closes a kept connection when its last answer is complete", async () => {
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

/** Cuts off nothing until `answerMs`, and has no limits by which Node.js would end connections. */
async function openStreamServer(answerMs = 600_000) {
  const app = fastify({
    return503OnClosing: false,
    keepAliveTimeout: 0,
    http: { headersTimeout: 0, requestTimeout: 0 },
  });
  closeConnections(app, { unusedMs: 0, answerMs });
  const asked = Promise.withResolvers<void>();
  const work = Promise.withResolvers<void>();
  const writing = new Set<() => void>();
  app.get("/stream", (_request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200, { "content-type": "text/event-stream" });
    const write = () => void reply.raw.write("data: {}\n\n");
    writing.add(write);
    write();
  });
  app.get("/work", async () => {
    asked.resolve();
    await work.promise;
    return "done";
  });
  // A write to a stream that has ended must not end the process.
  app.addHook("preClose", (done) => {
    for (const write of writing) write();
    done();
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return { app, port, url, asked: asked.promise, work };
}

const EVENTS = { headers: { accept: "text/event-stream" } };

test("closeConnections() ends streams of events, even while they are written", async () => {
  const { app, url } = await openStreamServer();
  const bodies = await Promise.all([1, 2, 3].map(async () => {
    const { body } = await fetch(`${url}/stream`, EVENTS);
    const reader = body?.getReader();
    await reader?.read();
    return reader;
  }));
  await app.close();
  for (const reader of bodies) {
    while (!(await reader?.read())?.done);
  }
});

test("closeConnections() completes answers in progress, and cuts them off when they take too long", async () => {
  const { app, url, asked, work } = await openStreamServer();
  const answer = fetch(`${url}/work`);
  await asked;
  const closed = app.close();
  while (app.server.listening) await turn();
  work.resolve();
  assert.equal(await (await answer).text(), "done");
  await closed;

  const other = await openStreamServer(200);
  const cut = assert.rejects(fetch(`${other.url}/work`));
  await other.asked;
  await other.app.close();
  await cut;
});

test("closeConnections() does not wait for connections that a browser opened in advance", async () => {
  const { app, port } = await openStreamServer();
  const socket = connect(port, "127.0.0.1");
  await once(app.server, "connection");
  await app.close();
  assert.ok(socket.destroyed || (await once(socket, "close"), true));
});
