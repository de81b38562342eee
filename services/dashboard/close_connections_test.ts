import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { fastify } from "fastify";
import { closeConnections } from "./close_connections.ts";

/** Cuts off nothing until `graceMs`, and has no limits by which Node.js would end connections. */
async function openServer(graceMs = 600_000) {
  const app = fastify({
    return503OnClosing: false,
    keepAliveTimeout: 0,
    http: { headersTimeout: 0, requestTimeout: 0 },
  });
  closeConnections(app, graceMs);
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
  // What writes to a stream that has ended must not end the process.
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

test("closeConnections() ends streams of events, whoever still writes to them", async () => {
  const { app, url } = await openServer();
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

test("closeConnections() has what is being answered answered, and cut off when that takes too long", async () => {
  const { app, url, asked, work } = await openServer();
  const answer = fetch(`${url}/work`);
  await asked;
  const closed = app.close();
  while (app.server.listening) await turn();
  work.resolve();
  assert.equal(await (await answer).text(), "done");
  await closed;

  const other = await openServer(200);
  const cut = assert.rejects(fetch(`${other.url}/work`));
  await other.asked;
  await other.app.close();
  await cut;
});

test("closeConnections() does not wait for connections that a browser opened in advance", async () => {
  const { app, port } = await openServer();
  const socket = connect(port, "127.0.0.1");
  await once(app.server, "connection");
  await app.close();
  assert.ok(socket.destroyed || (await once(socket, "close"), true));
});
