import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fastify } from "fastify";
import { closeConnections } from "./close_connections.ts";

async function openServer(graceMs?: number) {
  const app = fastify({ return503OnClosing: false });
  closeConnections(app, graceMs);
  const work = Promise.withResolvers<void>();
  app.get("/stream", (_request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200, { "content-type": "text/event-stream" });
    const timer = setInterval(() => reply.raw.write("data: {}\n\n"), 5);
    reply.raw.once("close", () => clearInterval(timer));
  });
  app.get("/work", async () => {
    await work.promise;
    return "done";
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  return { app, port, url: `http://127.0.0.1:${port}`, work };
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
  const started = performance.now();
  await app.close();
  assert.ok(performance.now() - started < 2000);
  for (const reader of bodies) {
    while (!(await reader?.read())?.done);
  }
  // What writes to a stream that has ended must not end the process.
  await delay(50);
});

test("closeConnections() has what is being answered answered, and cut off when that takes too long", async () => {
  const { app, url, work } = await openServer();
  const answer = fetch(`${url}/work`);
  await delay(100);
  const closed = app.close();
  await delay(100);
  work.resolve();
  assert.equal(await (await answer).text(), "done");
  const started = performance.now();
  await closed;
  assert.ok(performance.now() - started < 2000);

  const other = await openServer(200);
  const cut = assert.rejects(fetch(`${other.url}/work`));
  await delay(100);
  await other.app.close();
  await cut;
});

test("closeConnections() does not wait for connections that a browser opened in advance", async () => {
  const { app, port } = await openServer();
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  await delay(50);
  const started = performance.now();
  await app.close();
  assert.ok(performance.now() - started < 2000);
});
