import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import { errorBodySchema } from "@posthaste/contracts";
import { openTestApp, SEND, smallSend } from "./_test_app.ts";

test("buildApp() gives every answer an id, and headers that keep it to itself", async () => {
  await using api = openTestApp();
  const answers = [
    await api.post(SEND, smallSend()),
    await api.post(SEND, "{"),
    await api.get("/nowhere"),
    await api.get("/v1/sends/x", { authorization: "" }),
    await api.get("/v1/%zz"),
  ];
  for (const { status, headers } of answers) {
    assert.match(String(headers["x-request-id"]), /^[0-9a-f-]{36}$/, String(status));
    assert.equal(headers["cache-control"], "no-store");
    assert.equal(headers["x-content-type-options"], "nosniff");
  }
  const given = await api.post(SEND, smallSend(), { "x-request-id": "abc-1.2" });
  assert.equal(given.headers["x-request-id"], "abc-1.2");
  const bad = await api.post(SEND, smallSend(), { "x-request-id": "a b<c>" });
  assert.notEqual(bad.headers["x-request-id"], "a b<c>");
});

test("buildApp() lets a request in flight finish when it is closed", async () => {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const api = openTestApp({
    acceptSend: async () => {
      arrive();
      await gate;
      return { accepted: true };
    },
  });
  const url = await api.app.listen({ port: 0, host: "127.0.0.1" });
  const answering = fetch(`${url}${SEND}`, {
    method: "POST",
    headers: { authorization: "Bearer ph_all", "content-type": "application/json" },
    body: JSON.stringify(smallSend()),
  });
  await arrived;
  const closing = api.app.close();
  open();
  const answer = await answering;
  assert.equal(answer.status, 200);
  assert.equal((await answer.json()).status, "success");
  await closing;
  assert.equal(api.dispatched.length, 1);
  await assert.rejects(fetch(url));
});

test("buildApp() answers what comes on an open connection while it closes", async () => {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const api = openTestApp({
    acceptSend: async () => {
      arrive();
      await gate;
      return { accepted: true };
    },
  });
  await api.app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = api.app.server.address() as AddressInfo;
  const body = JSON.stringify(smallSend());
  const request = `POST ${SEND} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ph_all\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.on("data", (chunk) => text += chunk);
  socket.write(request);
  await arrived;
  const closing = api.app.close();
  await new Promise(setImmediate);
  socket.write(request);
  setTimeout(open, 50);
  await Promise.all([once(socket, "close"), closing]);
  assert.equal(text.match(/HTTP\/1\.1 200 OK/g)?.length, 2, text);
  assert.match(text, /connection: close/i);
});

test("buildApp() answers what is not HTTP with a body of the same shape", async () => {
  await using api = openTestApp();
  await api.app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = api.app.server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1");
  socket.end("HELO example.com\r\n\r\n");
  let text = "";
  socket.on("data", (chunk) => text += chunk);
  await once(socket, "close");
  assert.match(text, /^HTTP\/1\.1 400 /);
  const body = errorBodySchema.parse(JSON.parse(text.slice(text.indexOf("\r\n\r\n"))));
  assert.equal(body.code, "invalid_request");
});

test("buildApp() logs no address and no variable", async () => {
  await using api = openTestApp({ dispatch: () => Promise.reject(new Error("down")) });
  await api.post(SEND, smallSend({ variables: { secret: "s3cret" } }));
  await new Promise(setImmediate);
  assert.ok(api.log.length > 0);
  assert.ok(!/jane|s3cret/.test(JSON.stringify(api.log)));
});
