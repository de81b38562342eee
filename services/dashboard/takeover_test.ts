import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { hashPassword } from "@posthaste/storage";
import {
  type Browser,
  openTestDashboard,
  type Person,
  TEST_PASSWORD_COST,
  type TestDashboard,
} from "./_test_dashboard.ts";
import { approve, arrive, depart, openTestProvider, type TestProvider } from "./_test_provider.ts";
import { SESSION_COOKIE } from "./guard.ts";
import { JOINING_COOKIE } from "./routes/joining.ts";

/** The address of a person who has never signed in. */
const VICTIM = "ceo@victim.example";
const PASSWORD = "correct horse battery";

let provider: TestProvider;
let dashboard: TestDashboard;
before(async () => {
  provider = await openTestProvider();
});
after(() => provider?.[Symbol.asyncDispose]());
beforeEach(async () => {
  dashboard = await openTestDashboard({ options: { oidc: provider.settings } });
});
afterEach(() => dashboard[Symbol.asyncDispose]());

/** Lets an owner invite an address; returns the link's path. */
async function invite(owner: Browser, email: string): Promise<string> {
  const { status, body } = await owner.post("/api/invitations", { email, role: "editor" });
  assert.equal(status, 200, body.error);
  return new URL(body.link).pathname.replace("/invitation/", "");
}

/** Creates a user by a link. */
function joinByLink(token: string, password = PASSWORD) {
  return dashboard.signedOut.post(`/api/sign-in/invitation/${token}`, {
    ...{ name: "Somebody", password },
  });
}

async function logIn(email: string, password = PASSWORD) {
  const { status, cookies } = await dashboard.signedOut.post("/api/sign-in/login", {
    ...{ email, password },
  });
  return { status, browser: dashboard.browser(cookies[SESSION_COOKIE]) };
}

/** Signs in at the provider, and accepts an account's invitation. */
async function comeAndJoin(email: string, accountName: string) {
  provider.next = { sub: `of ${email}`, email, email_verified: true };
  const asked = await arrive(dashboard, await depart(dashboard));
  assert.deepEqual([asked.to, asked.session], ["/joining", undefined]);
  return await approve(dashboard, asked, accountName);
}

const accountsOf = async (browser: Browser): Promise<string[]> =>
  (await browser.get("/api/session")).body.accounts.map(({ name }: { name: string }) => name);

test("a login with a foreign address gets nothing of what the address's owner joins", async () => {
  const { foreign, own, store } = dashboard;
  await joinByLink(await invite(foreign.owner, VICTIM));
  await invite(own.owner, VICTIM);
  const victim = await comeAndJoin(VICTIM, "Own");
  assert.deepEqual(victim.accounts.map(({ name }: { name: string }) => name), ["Own"]);
  const attacker = await logIn(VICTIM);
  assert.deepEqual(await accountsOf(attacker.browser), ["Foreign"]);
  const inOwn = (await store.people.listMembers(own.accountId)).filter(({ user }) =>
    user.email === VICTIM
  );
  assert.equal(inOwn.length, 1);
  assert.equal(inOwn[0]?.user.passwordHash, null);
});

test("a login with a foreign address does not keep the address's owner from creating one", async () => {
  const { foreign, own } = dashboard;
  await joinByLink(await invite(foreign.owner, VICTIM), "the attacker's password");
  const { status } = await joinByLink(await invite(own.owner, VICTIM), "the owner's own password");
  assert.equal(status, 200);
  const theirs = await logIn(VICTIM, "the owner's own password");
  assert.deepEqual(await accountsOf(theirs.browser), ["Own"]);
  const attackers = await logIn(VICTIM, "the attacker's password");
  assert.deepEqual(await accountsOf(attackers.browser), ["Foreign"]);
});

test("a user who came by a link may use only that account until the address is verified", async () => {
  const { foreign, own } = dashboard;
  const { cookies } = await joinByLink(await invite(foreign.owner, VICTIM));
  const plain = dashboard.browser(cookies[SESSION_COOKIE]);
  const { body } = await plain.get("/api/session");
  const browser = dashboard.browser(cookies[SESSION_COOKIE], body.csrfToken, body.account.id);
  assert.equal(body.user.isProven, false);
  assert.equal((await browser.get("/api/members")).status, 200);
  const token = await invite(own.owner, VICTIM);
  const accepted = await browser.post(`/api/invitations/${token}/accept`);
  assert.deepEqual([accepted.status, accepted.body.code], [403, "unproven"]);
  await foreign.owner.put(`/api/members/${body.user.id}`, { role: "owner" });
  const made = await browser.post("/api/accounts", { name: "A third" });
  assert.deepEqual([made.status, made.body.code], [403, "unproven"]);
  assert.deepEqual(await accountsOf(plain), ["Foreign"]);
});

test("a user who is removed from the only allowed account is deleted, with their password", async () => {
  const { foreign } = dashboard;
  const { cookies } = await joinByLink(await invite(foreign.owner, VICTIM));
  const { body } = await dashboard.browser(cookies[SESSION_COOKIE]).get("/api/session");
  await foreign.owner.delete(`/api/members/${body.user.id}`);
  assert.equal(await dashboard.store.people.find(body.user.id), null);
  assert.equal((await logIn(VICTIM)).status, 400);
});

/** Sets a password for a person, and opens a second browser. */
async function withPassword({ user }: Person, accountId: string): Promise<Person> {
  const passwordHash = await hashPassword(PASSWORD, TEST_PASSWORD_COST);
  await dashboard.store.people.update(user._id, { passwordHash });
  return await dashboard.signIn({ ...user, passwordHash }, accountId);
}

test("an unverified address does not link a user to the provider's person", async () => {
  const { own, foreign, store } = dashboard;
  const attacker = await withPassword(own.editor, own.accountId);
  const renamed = await attacker.put("/api/you/email", { current: PASSWORD, email: VICTIM });
  assert.equal(renamed.status, 200);
  // The answer does not reveal that another user has the address.
  const taken = await attacker.put("/api/you/email", {
    ...{ current: PASSWORD, email: foreign.viewer.user.email },
  });
  assert.equal(taken.status, 200);
  await attacker.put("/api/you/email", { current: PASSWORD, email: VICTIM });
  provider.next = { sub: "v", email: VICTIM, email_verified: true };
  const { to, session } = await arrive(dashboard, await depart(dashboard));
  assert.deepEqual([to, session], ["/?refused=not_member", undefined]);
  assert.equal((await store.people.find(attacker.user._id))?.oidc, null);
});

test("a changed address is no longer verified", async () => {
  const { own, store } = dashboard;
  const person = await withPassword(own.editor, own.accountId);
  await person.put("/api/you/email", { current: PASSWORD, email: "new@own.example" });
  assert.equal((await store.people.find(person.user._id))?.emailProvenAt, null);
});

test("linking a proven address ends the password and every session from before", async () => {
  const { own, store } = dashboard;
  const person = await withPassword(own.editor, own.accountId);
  const { email, _id } = person.user;
  provider.next = { sub: "e", email, email_verified: true };
  const { to, session } = await arrive(dashboard, await depart(dashboard));
  assert.deepEqual([to, session.user.id], ["/", _id]);
  assert.equal((await person.get("/api/session")).status, 401);
  assert.equal((await logIn(email)).status, 400);
  assert.equal((await store.sessions.list(_id, new Date())).length, 1);
});

test("the provider's person joins only after consent, and opens no account of a stranger", async () => {
  const { own, foreign, store } = dashboard;
  const { email } = own.editor.user;
  await invite(foreign.owner, email);
  provider.next = { sub: "e", email, email_verified: true };
  const { session } = await arrive(dashboard, await depart(dashboard));
  assert.equal(session.account.name, "Own");
  assert.deepEqual(session.accounts.map(({ name }: { name: string }) => name), ["Own"]);
  // A new person is asked, too.
  await invite(foreign.owner, VICTIM);
  await invite(own.owner, VICTIM);
  assert.equal((await comeAndJoin(VICTIM, "Own")).account.name, "Own");
  assert.equal((await store.invitations.list(foreign.accountId, new Date())).length, 2);
});

test("what a browser claims on the page that asks is not trusted", async () => {
  const { own } = dashboard;
  await invite(own.owner, VICTIM);
  provider.next = { sub: "v", email: VICTIM, email_verified: true };
  const { cookies } = await arrive(dashboard, await depart(dashboard));
  const [claims = "", seal = ""] = (cookies[JOINING_COOKIE] ?? "").split(".");
  const forged = Buffer.from(
    Buffer.from(claims, "base64url").toString().replace(VICTIM, own.owner.user.email),
  ).toString("base64url");
  assert.notEqual(forged, claims);
  for (const cookie of [`${forged}.${seal}`, claims, `${claims}.`, "x.y", ""]) {
    const headers = { cookie: `${JOINING_COOKIE}=${cookie}` };
    const { status } = await dashboard.signedOut.get("/api/sign-in/joining", headers);
    assert.equal(status, 404, cookie);
  }
});

test("an invitation's link does not reveal whether its address has a login", async () => {
  const { own, foreign, store } = dashboard;
  await store.people.update(own.viewer.user._id, { emailProvenAt: null });
  const answers: unknown[] = [];
  for (const email of [VICTIM, own.editor.user.email, own.viewer.user.email]) {
    const token = await invite(foreign.owner, email);
    const offer = await dashboard.signedOut.get(`/api/sign-in/invitation/${token}`);
    assert.equal(offer.body.email, email);
    const joined = await joinByLink(token);
    answers.push([offer.status, Object.keys(offer.body), joined.status, joined.text]);
  }
  assert.deepEqual(answers[1], answers[0]);
  assert.deepEqual(answers[2], answers[0]);
});
