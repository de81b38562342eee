import cookie from "@fastify/cookie";
import { until } from "@posthaste/kit";
import { fastify } from "fastify";
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestDashboard, ORIGIN } from "./_test_dashboard.ts";
import type { Routing } from "./routing.ts";
import { guardRoutes, SESSION_COOKIE } from "./guard.ts";
import { handleErrors } from "@posthaste/http";
import { DASHBOARD_ERRORS } from "./http_error.ts";
import { messageStreamRoute } from "./routes/message_stream.ts";

test("GET /api/messages/stream ends with the session, and refuses too many streams", async () => {
  await using dashboard = await openTestDashboard();
  const { own, foreign, store } = dashboard;
  const now = () => new Date();
  const app = fastify();
  await using _closing = { [Symbol.asyncDispose]: () => app.close() };
  app.register(cookie);
  handleErrors(app, { errors: DASHBOARD_ERRORS, logger: { error() {} } });
  app.register(async (api) => {
    guardRoutes(api, { ...store, now, sessionAges: { idleMs: 60_000, totalMs: 600_000 } }, {
      publicUrl: ORIGIN,
    });
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const routing = { deps: { store, now, logger } } as unknown as Routing;
    messageStreamRoute(api, routing, { beatEveryMs: 50, lookEveryMs: 20, maxStreams: 2 });
  });
  const url = `${await app.listen({ port: 0, host: "127.0.0.1" })}/api/messages/stream`;

  async function open({ cookie: value }: { cookie: string }) {
    const response = await fetch(url, { headers: { cookie: `${SESSION_COOKIE}=${value}` } });
    const stream = { status: response.status, text: "", isOver: false };
    void (async () => {
      for await (const piece of response.body ?? []) stream.text += Buffer.from(piece).toString();
    })().catch(() => undefined).finally(() => {
      stream.isOver = true;
    });
    return stream;
  }

  const leaving = await dashboard.signIn(own.viewer.user, own.accountId);
  const removed = await dashboard.signIn(own.editor.user, own.accountId);
  const [first, second] = [await open(leaving), await open(removed)];
  assert.deepEqual([first.status, second.status], [200, 200]);
  assert.equal((await open(own.owner)).status, 429);
  assert.equal((await open(foreign.owner)).status, 200);
  await until(() => first.text.includes("\n:\n") || first.text.includes(":\n\n"));
  assert.equal(first.isOver, false);
  await store.sessions.remove(leaving.sessionId);
  await until(() => first.isOver);
  assert.equal(second.isOver, false);
  await store.people.removeMember(own.accountId, removed.user._id);
  await until(() => second.isOver);
  const demoted = await open(await dashboard.signIn(own.viewer.user, own.accountId));
  assert.equal(demoted.status, 200);
  await store.people.changeRole(own.accountId, own.viewer.user._id, "texts");
  await until(() => demoted.isOver);
  await until(async () => (await open(own.owner)).status === 200);
});
