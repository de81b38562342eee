import assert from "node:assert/strict";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { TokenLimits } from "@posthaste/contracts";
import { openTestDashboard, type TestDashboard } from "./_test_dashboard.ts";

const stack = new AsyncDisposableStack();
const heard: {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage["headers"];
  body: string;
}[] = [];
let dashboard: TestDashboard;

before(async () => {
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    heard.push({
      method,
      url,
      headers,
      body: Buffer.concat(await Array.fromAsync(request)).toString(),
    });
    if (url?.includes("pdf")) {
      return response.writeHead(200, { "content-type": "application/pdf" }).end("%PDF-");
    }
    if (url?.includes("/sends/moved")) {
      return response.writeHead(302, { location: "http://127.0.0.1:1/" }).end();
    }
    response.writeHead(404, {
      "content-type": "application/json",
      "retry-after": "3",
      "set-cookie": "a=b",
    });
    return response.end('{"error":"x"}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stack.defer(() => void server.close());
  stack.defer(() => server.closeAllConnections());
  const { port } = server.address() as AddressInfo;
  dashboard = stack.use(
    await openTestDashboard({ options: { tryUrl: `http://127.0.0.1:${port}/v1` } }),
  );
});
after(() => stack.disposeAsync());

async function tokenOf(accountId: string, limits: Partial<TokenLimits> = {}): Promise<string> {
  return (await dashboard.store.tokens.create({ accountId, name: "x", scopes: ["read"], limits }))
    .token;
}

const attempt = (body: object) => dashboard.own.viewer.post("/api/interface/try", body);

test("GET /api/interface returns the document and where the interface is", async () => {
  const { status, body } = await dashboard.own.viewer.get("/api/interface");
  assert.deepEqual([status, body.document.openapi, body.canTry], [200, "3.1.1", true]);
  assert.equal((await dashboard.signedOut.get("/api/interface")).status, 401);
});

test("POST /api/interface/try sends the request with the token and without the person's cookie", async () => {
  const token = await tokenOf(dashboard.own.accountId);
  const { status, body } = await attempt({ method: "GET", path: "/v1/sends/snd_1?a=b", token });
  assert.deepEqual([status, body.status, body.text], [200, 404, '{"error":"x"}']);
  assert.deepEqual(body.headers, { "retry-after": "3" });
  const { method, url, headers } = heard.at(-1) ?? {};
  assert.deepEqual([method, url, headers?.authorization], [
    "GET",
    "/v1/sends/snd_1?a=b",
    `Bearer ${token}`,
  ]);
  assert.equal(headers?.cookie, undefined);
  const pdf = await attempt({
    ...{ method: "POST", path: "/v1/pdf-templates/1/render", token, body: "{}" },
  });
  assert.deepEqual([pdf.body.text, atob(pdf.body.base64)], [null, "%PDF-"]);
  assert.equal(heard.at(-1)?.body, "{}");
});

test("POST /api/interface/try reaches the endpoints of the interface and nothing else", async () => {
  const token = await tokenOf(dashboard.own.accountId);
  const count = heard.length;
  const paths = [
    ...["/v1/../livez", "/v1/%2e%2e/livez", "/v1//livez", "/v1/none", "/v1/sends/a/b/c"],
    ...["/v1@127.0.0.1:1/sends", "/v1/sends/..", "/v1\\..\\livez"],
    // A gateway between the dashboard and the interface may decode these, once or more often.
    ...["/v1/sends/..%2f..%2flivez", "/v1/sends/%2E%2E%2Flivez", "/v1/sends/..%5c..%5Clivez"],
    ...["/v1/sends/a%2fb", "/v1/sends/..%252f..%252flivez", "/v1/sends/%252e%252e"],
    ...["/v1/sends/.%252e/cancel", "/v1/sends/%25252e%25252E", "/v1/sends/..;a=b", "/v1/sends/%"],
    ...["/v1/sends/a%00b", "/v1/sends/a%0d%0ab", "/v1/sends/%c0%af"],
  ];
  for (const path of paths) {
    const { body } = await attempt({ method: "GET", path, token });
    assert.equal(body.code, "not_found", path);
  }
  assert.equal(
    (await attempt({ method: "GET", path: "//127.0.0.1:1/v1/sends", token })).status,
    400,
  );
  assert.equal(heard.length, count);
  for (const path of ["/v1/templates/caf%C3%A9", "/v1/templates/100%25", "/v1/templates/a..b"]) {
    const { body } = await attempt({ method: "GET", path, token });
    assert.equal(body.status, 404, path);
    assert.equal(heard.at(-1)?.url, path);
  }
  const moved = await attempt({ method: "GET", path: "/v1/sends/moved", token });
  assert.equal(moved.body.code, "unavailable");
});

test("POST /api/interface/try refuses tokens of other accounts, of other addresses, and unknown ones", async () => {
  const { own, foreign } = dashboard;
  const tokens = [
    await tokenOf(foreign.accountId),
    await tokenOf(own.accountId, { addresses: ["192.0.2.0/24"] }),
    "ph_unknown",
  ];
  const count = heard.length;
  for (const token of tokens) {
    const { status, body } = await attempt({ method: "GET", path: "/v1/sends", token });
    assert.deepEqual([status, body.issues[0].path], [400, "token"]);
  }
  assert.equal(heard.length, count);
});
