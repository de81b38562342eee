import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import { errorBodySchema } from "@posthaste/contracts";
import { openTestApp, SEND, smallSend } from "./_test_app.ts";

test("buildApp() adds a request id and headers against caching to every answer", async () => {
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
    assert.equal(
      headers["content-security-policy"],
      "default-src 'none'; frame-ancestors 'none'",
    );
    assert.equal(headers["x-frame-options"], "DENY");
    assert.equal(headers["referrer-policy"], "no-referrer");
    assert.equal(headers["cross-origin-resource-policy"], "same-origin");
  }
  const given = await api.post(SEND, smallSend(), { "x-request-id": "abc-1.2" });
  assert.equal(given.headers["x-request-id"], "abc-1.2");
  const bad = await api.post(SEND, smallSend(), { "x-request-id": "a b<c>" });
  assert.notEqual(bad.headers["x-request-id"], "a b<c>");
});

test("buildApp() finishes a request in flight when it is closed", async () => {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const api = openTestApp({
    sends: {
      accept: async () => {
        arrive();
        await gate;
        return { accepted: true };
      },
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

test("buildApp() answers requests on an open connection while it closes", async () => {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const api = openTestApp({
    sends: {
      accept: async () => {
        arrive();
        await gate;
        return { accepted: true };
      },
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

test("buildApp() answers input that is not HTTP with a body of the usual shape", async () => {
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

/** Writes text to a connection, and returns all that comes back until it is closed. */
async function converse(api: ReturnType<typeof openTestApp>, text: string): Promise<string> {
  await api.app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = api.app.server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  socket.on("data", (chunk) => answer += chunk).on("error", () => {});
  socket.write(text);
  await once(socket, "close");
  return answer;
}

test("buildApp() answers 408 to a request that does not arrive completely, whichever part is missing", async () => {
  const head = `POST ${SEND} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ph_all\r\n`;
  const type = "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{";
  for (const text of [head, head + type]) {
    await using api = openTestApp({}, { edge: { requestTimeoutMs: 100 } });
    const answer = await converse(api, text);
    assert.match(answer, /^HTTP\/1\.1 408 Request Timeout\r\n/);
    assert.match(answer, /"code":"request_timeout"/);
    assert.match(answer, /x-content-type-options: nosniff/);
    assert.deepEqual(api.log.filter(({ level }) => level === "error"), []);
  }
});

test("buildApp() answers 431 to endless headers", async () => {
  await using api = openTestApp();
  const answer = await converse(api, `GET / HTTP/1.1\r\nX-A: ${"a".repeat(20_000)}`);
  assert.match(answer, /^HTTP\/1\.1 431 .*"code":"headers_too_large"/s);
});

test("buildApp() does not answer input that is not HTTP before the earlier request", async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  await using api = openTestApp({ sends: { find: () => gate.then(() => null) } });
  const id = `snd_${"0".repeat(26)}`;
  const request = `GET /v1/sends/${id} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ph_all\r\n\r\n`;
  assert.equal(await converse(api, `${request}\0\r\n\r\n`), "");
  open();
});

test("buildApp() serves nothing after a request that can be read in two ways", async () => {
  await using api = openTestApp();
  const head = `POST ${SEND} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ph_all\r\n` +
    "Content-Type: application/json\r\n";
  const body = JSON.stringify(smallSend());
  const good = `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
  const answer = await converse(
    api,
    `${head}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n${good}`,
  );
  assert.match(answer, /^HTTP\/1\.1 400 /);
  assert.equal(api.sends.length, 0);
});

test("buildApp() closes a connection on which too many requests wait", async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  let asked = 0;
  await using api = openTestApp({
    sends: {
      find: () => {
        asked++;
        return gate.then(() => null);
      },
    },
  });
  const id = `snd_${"0".repeat(26)}`;
  const request = `GET /v1/sends/${id} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ph_all\r\n\r\n`;
  assert.equal(await converse(api, request.repeat(100)), "");
  assert.ok(asked <= 64, `${asked} were asked`);
  open();
});

test("buildApp() closes a connection whose client does not read the answer", async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  await using api = openTestApp({ sends: { find: () => gate.then(() => null) } }, {
    edge: { idleTimeoutMs: 100 },
  });
  const id = `snd_${"0".repeat(26)}`;
  const request = `GET /v1/sends/${id} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ph_all\r\n\r\n`;
  assert.equal(await converse(api, request), "");
  open();
});

test("buildApp() answers a client that is still writing a body that is too large", async () => {
  await using api = openTestApp({}, { bodyLimit: 1000 });
  await api.app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = api.app.server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1");
  const size = 20_000_000;
  socket.write(
    `POST ${SEND} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ph_all\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${size}\r\n\r\n`,
  );
  const [chunk] = await once(socket, "data");
  assert.match(String(chunk), /^HTTP\/1\.1 413 /);
  socket.write(Buffer.alloc(size, 32));
  socket.write("GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n");
  const [next] = await once(socket, "data");
  assert.match(String(next), /^HTTP\/1\.1 404 /);
  socket.destroy();
});

test("buildApp() reads no body for a path that does not exist", async () => {
  await using api = openTestApp();
  await api.app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = api.app.server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1");
  // The body never comes.
  socket.write(
    "POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" +
      "Content-Length: 1000000\r\n\r\n",
  );
  const [chunk] = await once(socket, "data");
  assert.match(String(chunk), /^HTTP\/1\.1 404 /);
  socket.destroy();
});

test("buildApp() logs no address and no variable", async () => {
  await using api = openTestApp({ dispatch: () => Promise.reject(new Error("down")) });
  await api.post(SEND, smallSend({ variables: { secret: "s3cret" } }));
  await new Promise(setImmediate);
  assert.ok(api.log.length > 0);
  assert.ok(!/jane|s3cret/.test(JSON.stringify(api.log)));
});
