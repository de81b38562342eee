import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { ACCOUNT_HEADER, SESSION_COOKIE } from "./guard.ts";
import { openTestDashboard, ORIGIN, type TestDashboard } from "./_test_dashboard.ts";

const BRACKETS = "[".repeat(4_900_000);

describe("a stranger", () => {
  let dashboard: TestDashboard;
  let port: number;
  before(async () => {
    dashboard = await openTestDashboard({
      options: {
        edge: { requestTimeoutMs: 300, connections: { max: 100, maxPerClient: 20 } },
        bodies: { max: 20_000, maxPerOwner: 10_000 },
      },
    });
    await dashboard.app.listen({ port: 0, host: "127.0.0.1" });
    ({ port } = dashboard.app.server.address() as AddressInfo);
  });
  after(() => dashboard?.[Symbol.asyncDispose]());

  const begin = (path: string, length: number, body = ""): Socket => {
    const socket = connect(port, "127.0.0.1").setEncoding("utf8").on("error", () => {});
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nOrigin: ${ORIGIN}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`,
    );
    return socket;
  };
  const answerOf = async (socket: Socket) => String((await once(socket, "data"))[0]);

  test("cannot have a body of megabytes read, on any route that is open to anyone", async () => {
    const open = dashboard.routes.filter(({ role, method }) =>
      role === "anyone" && method !== "GET"
    );
    assert.ok(open.length > 3);
    for (const { method, url } of open) {
      const { status, body } = await dashboard.signedOut.ask(method, url.replace(":token", "x"), {
        body: BRACKETS,
      });
      assert.equal(status, 413, url);
      assert.equal(body.code, "payload_too_large");
    }
  });

  test("gets the same refusal with and without a declared length", async () => {
    const socket = connect(port, "127.0.0.1").setEncoding("utf8");
    socket.write(
      `POST /api/sign-in/login HTTP/1.1\r\nHost: localhost\r\nOrigin: ${ORIGIN}\r\n` +
        `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n` +
        `2710\r\n${"[".repeat(10_000)}\r\n`,
    );
    assert.match(await answerOf(socket), /^HTTP\/1\.1 413 .*"code":"payload_too_large"/s);
    socket.destroy();
  });

  test("holds no connection with a request that never arrives", async () => {
    const sockets = [begin("/api/sign-in/login", 100, "{"), connect(port, "127.0.0.1")];
    sockets[1]?.setEncoding("utf8").write("GET /api/session HTTP/1.1\r\nHost: localhost\r\nX-A: ");
    for (const answer of await Promise.all(sockets.map(answerOf))) {
      assert.match(answer, /^HTTP\/1\.1 408 .*"code":"request_timeout"/s);
    }
    for (const socket of sockets) if (!socket.closed) await once(socket, "close");
  });

  test("can fill the memory with unfinished bodies only up to the limit of one network", async () => {
    const sockets = [1, 2].map(() => begin("/api/sign-in/login", 7000, "[".repeat(6000)));
    const [first] = await Promise.race(sockets.map((socket) => once(socket, "data")));
    assert.match(String(first), /^HTTP\/1\.1 429 .*"code":"too_many_requests"/s);
    assert.match(String(first), /retry-after: 2/i);
    for (const socket of sockets) socket.destroy();
    await Promise.all(sockets.map((socket) => socket.closed || once(socket, "close")));
  });

  test("cannot open more connections than one client may", async () => {
    const sockets = Array.from({ length: 25 }, () => connect(port, "127.0.0.1"));
    let closed = 0;
    const enough = Promise.withResolvers<void>();
    const all = sockets.map(async (socket) => {
      socket.on("error", () => {});
      await once(socket, "close");
      if (++closed === 5) enough.resolve();
    });
    await enough.promise;
    const kept = sockets.filter((socket) => !socket.closed);
    assert.equal(kept.length, 20);
    for (const socket of kept) socket.destroy();
    await Promise.all(all);
  });

  test("cannot have an endlessly nested body parsed, even when signed in", async () => {
    const { own } = dashboard;
    const { cookie, csrfToken } = own.editor;
    const { statusCode, body } = await dashboard.app.inject({
      method: "POST",
      url: "/api/templates/email",
      headers: {
        "content-type": "application/json",
        origin: ORIGIN,
        "x-csrf-token": csrfToken,
        [ACCOUNT_HEADER]: own.accountId,
        cookie: `${SESSION_COOKIE}=${cookie}`,
      },
      payload: "[".repeat(9000),
    });
    assert.equal(statusCode, 400);
    assert.match(body, /nested deeper than 64 levels/);
  });
});
