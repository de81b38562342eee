import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { NewEvent } from "@posthaste/storage";
import { type LedgerApp, openLedgerApp } from "./_test_ledger_app.ts";
import { openFeedWaiters } from "./feed_waiters.ts";

let api: LedgerApp;
before(async () => {
  api = await openLedgerApp();
});
after(() => api?.[Symbol.asyncDispose]());

let count = 0;
function eventOf(type: "integration.paused" | "integration.resumed"): NewEvent {
  const data = { integrationId: 1, reason: "x" };
  const _id = `evt_${count++}`;
  return { _id, accountId: api.accountId, type, at: new Date(0), data };
}

async function read(query = "", options = {}) {
  const { status, body } = await api.ask(`/v1/events?${query}`, options);
  assert.equal(status, 200, JSON.stringify(body));
  const ids = body.data.map(({ id }: { id: string }) => id);
  return { ids, next: encodeURIComponent(body.next), data: body.data };
}

test("eventsRoute() reads the feed in pages, from the oldest event, a cursor or now", async () => {
  const start = await read("after=latest");
  const events = [eventOf("integration.paused"), eventOf("integration.resumed")];
  await api.store.events.record(events);
  const first = await read("limit=1");
  assert.deepEqual(first.data, [{
    ...{ id: "evt_0", type: "integration.paused", timestamp: "1970-01-01T00:00:00.000Z" },
    ...{ sequence: 1, data: { integrationId: 1, reason: "x" } },
  }]);
  const second = await read(`after=${first.next}&limit=1`);
  assert.deepEqual(second.ids, ["evt_1"]);
  assert.deepEqual((await read(`after=${second.next}`)).ids, []);
  assert.deepEqual((await read(`after=${start.next}`)).ids, ["evt_0", "evt_1"]);
  assert.deepEqual((await read("types=integration.resumed,send.settled")).ids, ["evt_1"]);
  assert.deepEqual((await read("after=latest")).ids, []);
  assert.deepEqual((await read("", { isOther: true })).ids, []);
});

test("eventsRoute() waits for an event, at most for the time of the request", async () => {
  const { next } = await read("after=latest");
  const waiting = read(`after=${next}&types=integration.paused&wait=20`);
  await delay(50);
  await api.store.events.record([eventOf("integration.resumed"), eventOf("integration.paused")]);
  assert.equal((await waiting).data[0].type, "integration.paused");
  assert.deepEqual((await read("after=latest&wait=0.1")).ids, []);
});

test("eventsRoute() returns no event to a token that was revoked while it waited", async () => {
  let passedMs = 0;
  const clock = { now: () => performance.now() + passedMs };
  await using own = await openLedgerApp({ clock });
  const ask = (query: string) => own.ask(`/v1/events?${query}`, { scopes: ["list"] });
  const { body: { next } } = await ask("after=latest");
  const [token] = await own.store.tokens.list(own.accountId);
  assert.ok(token);
  const waiting = ask(`after=${encodeURIComponent(next)}&wait=20`);
  await delay(50);
  await own.store.tokens.revoke(own.accountId, token._id);
  passedMs = 5000;
  await own.store.events.record([{
    ...{ _id: "evt_late", accountId: own.accountId, type: "integration.paused", at: new Date(0) },
    data: { integrationId: 1, reason: "x" },
  }]);
  const { status, body } = await waiting;
  assert.deepEqual([status, body], [401, { error: "Unauthenticated" }]);
});

test("eventsRoute() refuses cursors of other feeds and of events that are gone", async () => {
  const refused = async (query: string, options = {}) => {
    const { status, body } = await api.ask(`/v1/events?${query}`, options);
    return [status, body.code];
  };
  await api.store.events.record([eventOf("integration.paused")]);
  const { next } = await read("limit=1");
  assert.deepEqual(await refused(`after=${next}`, { isOther: true }), [400, "invalid_cursor"]);
  assert.deepEqual(await refused("after=x"), [400, "invalid_cursor"]);
  for (const query of ["types=x", "wait=21", "limit=101", "cursor=x"]) {
    assert.deepEqual(await refused(query), [400, "invalid_request"], query);
  }
  await api.store.events.removeOld(api.accountId, new Date(Date.now() + 1000));
  assert.deepEqual(await refused(`after=${next}`), [410, "events_expired"]);
  assert.equal((await read()).ids.length, 1);
  assert.deepEqual(await refused("", { scopes: ["read"] }), [403, "missing_scope"]);
});

test("openFeedWaiters() refuses too many waits of a token, and ends all waits when it is disposed", async () => {
  const logger = { warn() {} };
  const waiters = openFeedWaiters({ events: { grown: () => Promise.resolve(new Set()) }, logger });
  const one = { accountId: "acc_1", tokenId: "a", after: 0, forMs: 60_000 };
  const waiting = Array.from({ length: 5 }, () => waiters.wait(one));
  await assert.rejects(waiters.wait(one), { code: "too_many_requests" });
  const left = new AbortController();
  const leaving = waiters.wait({ ...one, tokenId: "b", signal: left.signal });
  left.abort();
  assert.equal(await leaving, true);
  waiting.push(waiters.wait({ ...one, tokenId: "b" }));
  waiters[Symbol.dispose]();
  // Else requests would look again and again until their time is up.
  assert.ok((await Promise.all(waiting)).every((goesOn) => !goesOn));
  assert.equal(await waiters.wait(one), false);
});

test("openFeedWaiters() wakes only the requests whose feed has grown", async () => {
  const events = { grown: () => Promise.resolve(new Set(["acc_1"])) };
  using waiters = openFeedWaiters({ events, logger: { warn() {} } }, { everyMs: 1 });
  const wait = { tokenId: "a", after: 0, forMs: 60_000 };
  let isWoken = false;
  void waiters.wait({ ...wait, accountId: "acc_2" }).then(() => isWoken = true);
  await waiters.wait({ ...wait, accountId: "acc_1" });
  assert.ok(!isWoken);
});
