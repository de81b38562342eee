import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openTestDashboard, type Person, type TestDashboard } from "./_test_dashboard.ts";
import { ACCOUNT_HEADER } from "./guard.ts";

let dashboard: TestDashboard;
/** An owner of both accounts; the tab that was opened first shows `own`. */
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

/** What a tab asks that shows an account. */
function tab(accountId: string) {
  const headers = { [ACCOUNT_HEADER]: accountId };
  return {
    get: (path: string) => person.get(path, headers),
    ask: (method: string, path: string, body?: unknown) =>
      person.ask(method, path, { body, headers }),
  };
}

test("a tab changes the account that it shows, though another tab has gone to another", async () => {
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

test("a tab of an account that one is no member of any more is told so, and shown no other", async () => {
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

test("a change that does not say which account it is about is not made", async () => {
  const { own } = dashboard;
  const headers = { [ACCOUNT_HEADER]: "" };
  const { status, body } = await own.owner.patch("/api/account", { name: "Other" }, headers);
  assert.deepEqual([status, body.code], [409, "wrong_account"]);
  assert.equal((await own.owner.get("/api/account")).body.name, "Own");
});

test("an address that the browser opens itself says the account in its query", async () => {
  const { own, foreign } = dashboard;
  const owned = await own.viewer.get(`/api/members?account=${own.accountId}`);
  assert.equal(owned.status, 200);
  assert.equal((await own.viewer.get(`/api/members?account=${foreign.accountId}`)).status, 409);
});
