import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openTestDashboard, type Person, type TestDashboard } from "./_test_dashboard.ts";
import { ACCOUNT_HEADER } from "./guard.ts";

let dashboard: TestDashboard;
/** An owner of both accounts; the first tab shows `own`. */
let person: Person;
before(async () => {
  dashboard = await openTestDashboard();
  const { own, foreign, store } = dashboard;
  person = own.owner;
  await store.people.setMember({
    ...{ accountId: foreign.accountId, userId: person.user._id, role: "owner" },
  });
});
after(() => dashboard?.[Symbol.asyncDispose]());

/** Returns what a tab sends that shows an account. */
function tab(accountId: string) {
  const headers = { [ACCOUNT_HEADER]: accountId };
  return {
    get: (path: string) => person.get(path, headers),
    ask: (method: string, path: string, body?: unknown) =>
      person.ask(method, path, { body, headers }),
  };
}

test("a tab changes the account that it shows, though another tab has changed to another", async () => {
  const { own, foreign } = dashboard;
  const [first, second] = [tab(own.accountId), tab(foreign.accountId)];
  for (const each of [first, second]) {
    assert.equal((await each.ask("POST", "/api/templates/email", { name: "Welcome" })).status, 200);
  }
  const switched = await second.ask("PUT", "/api/session/account", { id: foreign.accountId });
  assert.equal(switched.status, 200);
  assert.equal((await first.get("/api/session")).body.account.name, "Own");
  assert.equal((await first.ask("DELETE", "/api/templates/email/1")).status, 200);
  const left = async (each: typeof first) =>
    (await each.get("/api/templates/email")).body.map(({ name }: { name: string }) => name);
  assert.deepEqual([await left(first), await left(second)], [[], ["Welcome"]]);
});

test("a tab whose account the user has left gets an error, and no other account's data", async () => {
  const { foreign, store } = dashboard;
  const stays = tab(foreign.accountId);
  assert.equal((await stays.get("/api/members")).status, 200);
  await store.people.removeMember(foreign.accountId, person.user._id);
  for (
    const answer of [await stays.get("/api/members"), await stays.ask("PATCH", "/api/account", {})]
  ) {
    assert.deepEqual([answer.status, answer.body.code], [409, "wrong_account"]);
  }
});

test("a change that names no account is refused", async () => {
  const { own } = dashboard;
  const headers = { [ACCOUNT_HEADER]: "" };
  const { status, body } = await own.owner.patch("/api/account", { name: "Other" }, headers);
  assert.deepEqual([status, body.code], [409, "wrong_account"]);
  assert.equal((await own.owner.get("/api/account")).body.name, "Own");
});

test("an address that the browser opens itself names the account in its query", async () => {
  const { own, foreign } = dashboard;
  const owned = await own.viewer.get(`/api/members?account=${own.accountId}`);
  assert.equal(owned.status, 200);
  assert.equal((await own.viewer.get(`/api/members?account=${foreign.accountId}`)).status, 409);
});
