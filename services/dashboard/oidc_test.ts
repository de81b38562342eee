import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { hashPassword } from "@posthaste/storage";
import { openTestDashboard, TEST_PASSWORD_COST, type TestDashboard } from "./_test_dashboard.ts";
import {
  approve,
  arrive,
  type Claims,
  depart,
  openTestProvider,
  type TestProvider,
} from "./_test_provider.ts";
import { hashToken, newToken } from "./session.ts";

let provider: TestProvider;
let dashboard: TestDashboard;
before(async () => {
  provider = await openTestProvider();
});
after(() => provider?.[Symbol.asyncDispose]());
beforeEach(async () => {
  Object.assign(provider, { next: { sub: "1" }, forges: false, isTerse: false, isDown: false });
  dashboard = await openTestDashboard({ options: { oidc: provider.settings } });
});
afterEach(() => dashboard[Symbol.asyncDispose]());

const signIn = async (claims: Claims, query?: string) => {
  provider.next = claims;
  return await arrive(dashboard, await depart(dashboard, query));
};

async function invite(email: string) {
  const { accountId, owner } = dashboard.own;
  const token = newToken();
  const expiresAt = new Date(Date.now() + 60_000);
  await dashboard.store.invitations.create({
    ...{ _id: hashToken(token), accountId, email, role: "editor", invitedBy: owner.user._id },
    ...{ createdAt: new Date(), expiresAt },
  });
  return token;
}

test("GET /api/sign-in names the provider, and its routes are missing without one", async () => {
  assert.equal((await dashboard.signedOut.get("/api/sign-in")).body.oidcName, "Example");
  await using without = await openTestDashboard();
  assert.equal((await without.signedOut.get("/api/sign-in")).body.oidcName, null);
  assert.equal((await without.signedOut.get("/api/sign-in/oidc")).status, 404);
  assert.equal((await without.signedOut.get("/api/sign-in/oidc/callback?code=x")).status, 404);
});

test("a member signs in by a verified address, and after that by the provider's subject alone", async () => {
  const { own, store } = dashboard;
  const email = "Editor@own.example";
  const { to, session } = await signIn({ sub: "s-1", email, email_verified: true });
  assert.equal(to, "/");
  assert.deepEqual([session.user.id, session.account.name], [own.editor.user._id, "Own"]);
  const user = await store.people.find(own.editor.user._id);
  assert.deepEqual(user?.oidc, { issuer: provider.issuer, subject: "s-1" });
  const again = await signIn({ sub: "s-1" });
  assert.equal(again.session.user.id, own.editor.user._id);
});

test("the provider is the only way to sign in if the operator has disabled passwords", async () => {
  await using strict = await openTestDashboard({
    options: { oidc: provider.settings, hasPasswords: false, systemAccount: "none" },
  });
  const { own, store, signedOut } = strict;
  const password = "correct horse battery";
  const email = "editor@own.example";
  await store.people.update(own.editor.user._id, {
    passwordHash: await hashPassword(password, TEST_PASSWORD_COST),
  });
  const token = newToken();
  await store.invitations.create({
    ...{ _id: hashToken(token), accountId: own.accountId, email: "n@x.example", role: "editor" },
    ...{ invitedBy: own.owner.user._id, createdAt: new Date() },
    expiresAt: new Date(Date.now() + 60_000),
  });
  const tries: [string, object][] = [
    ["login", { email, password }],
    ["forgotten", { email }],
    [`reset/${own.editor.user._id}~${newToken()}`, { password }],
    [`invitation/${token}`, { name: "N", password }],
  ];
  for (const [path, body] of tries) {
    const answer = await signedOut.post(`/api/sign-in/${path}`, body);
    assert.deepEqual([answer.status, answer.body.code], [403, "not_allowed"], path);
  }
  assert.equal((await signedOut.get("/api/sign-in")).body.hasPasswords, false);
  provider.next = { sub: "s-1", email, email_verified: true };
  const { session } = await arrive(strict, await depart(strict));
  assert.equal(session.user.id, own.editor.user._id);
});

test("a person who signs in at the provider confirms their identity there, where that is required", async () => {
  const { own, store, browser } = dashboard;
  await store.people.setMember({ ...own, userId: own.editor.user._id, role: "owner" });
  const email = "editor@own.example";
  const token = { name: "Shop", scopes: ["send"], expiresAt: null };
  const attempt = async (claims: Claims, query?: string) => {
    const { to, session, cookies } = await signIn(claims, query);
    const [cookie = ""] = Object.values(cookies).filter((text) => text !== "");
    const me = browser(cookie, session?.csrfToken, own.accountId);
    return [to, (await me.post("/api/tokens", token)).body.code];
  };
  // The provider may still know the person: then it signs in anyone at the browser without a
  // question.
  const first = { sub: "s-1", email, email_verified: true };
  assert.deepEqual(await attempt(first), ["/", "confirm_identity"]);
  const back = `/a/${own.accountId}/tokens`;
  assert.deepEqual(await attempt({ sub: "s-1" }, `?back=${back}`), [back, undefined]);
  const longAgo = Math.floor(Date.now() / 1000) - 3600;
  assert.deepEqual(
    await attempt({ sub: "s-1", auth_time: longAgo }, `?back=${back}`),
    ["/?refused=provider", "signed_out"],
  );
  for (const foreign of ["https://evil.example/", "//evil.example", "/a/../../x", "/other"]) {
    const path = `/api/sign-in/oidc?back=${encodeURIComponent(foreign)}`;
    assert.equal((await dashboard.signedOut.get(path)).status, 400, foreign);
  }
});

test("an address that a member has not verified signs in no other person as them", async () => {
  const { own, store } = dashboard;
  const victim = "victim@own.example";
  await store.people.update(own.editor.user._id, { email: victim, emailProvenAt: null });
  const { to, session } = await signIn({ sub: "s-v", email: victim, email_verified: true });
  assert.deepEqual([to, session], ["/?refused=not_member", undefined]);
  assert.equal((await store.people.find(own.editor.user._id))?.oidc, null);
});

test("an address that the provider has not verified signs in no person", async () => {
  for (const verified of [{ email_verified: false }, { email_verified: "no" }, {}]) {
    const { to, session } = await signIn({ sub: "s", email: "owner@own.example", ...verified });
    assert.deepEqual([to, session], ["/?refused=unverified", undefined]);
  }
  const [owner] = await dashboard.store.people.listByEmail("owner@own.example");
  assert.equal(owner?.oidc, null);
});

test("a person who is neither a member nor invited is refused, and no user is created", async () => {
  const email = "stranger@example.com";
  const { to, session } = await signIn({ sub: "s", email, email_verified: true });
  assert.deepEqual([to, session], ["/?refused=not_member", undefined]);
  assert.deepEqual(await dashboard.store.people.listByEmail(email), []);
});

test("an address that has passed to another subject does not open its first owner's accounts", async () => {
  const email = "editor@own.example";
  await signIn({ sub: "first", email, email_verified: true });
  const { to } = await signIn({ sub: "second", email, email_verified: true });
  assert.equal(to, "/?refused=not_member");
});

test("an invited person becomes a member by signing in, with the provider's name for them", async () => {
  provider.isTerse = true;
  await invite("new@example.com");
  const claims = { sub: "n", email: "New@example.com", email_verified: "true", name: "Nora New" };
  const asked = await signIn(claims);
  assert.deepEqual([asked.to, asked.session], ["/joining", undefined]);
  const { user, role } = await approve(dashboard, asked, "Own");
  assert.deepEqual([user.name, role, user.hasPassword, user.isProven], [
    ...["Nora New", "editor", false, true],
  ]);
  const { own, store } = dashboard;
  assert.deepEqual(await store.invitations.list(own.accountId, new Date()), []);
  const lines = await store.audit.list(own.accountId, { limit: 2 });
  assert.deepEqual(lines.map(({ action }) => action), ["session.began", "invitation.accepted"]);
});

test("a member of another account returns to the invitation, and joins only after consent", async () => {
  const { foreign, own, store } = dashboard;
  const { email, _id } = foreign.viewer.user;
  const token = await invite(email);
  const { to, session } = await signIn(
    { sub: "v", email, email_verified: true },
    `?invitation=${token}`,
  );
  assert.equal(to, `/invitation/${token}`);
  assert.equal(session.account.name, "Foreign");
  assert.equal(await store.people.findMember(own.accountId, _id), null);
  const odd = await dashboard.signedOut.get("/api/sign-in/oidc?invitation=//evil.example");
  assert.equal(odd.status, 400);
});

test("a person removed from every account is refused, though the provider knows them", async () => {
  const { own, store } = dashboard;
  const { email, _id } = own.viewer.user;
  await signIn({ sub: "v", email, email_verified: true });
  await store.people.removeMember(own.accountId, _id);
  assert.equal((await signIn({ sub: "v" })).to, "/?refused=not_member");
});

test("an answer that is forged, or belongs to another request or browser, is refused", async () => {
  const claims = { sub: "o", email: "owner@own.example", email_verified: true };
  const tries: [string, () => Promise<{ to: unknown; session: unknown }>][] = [
    ["another nonce", () => signIn({ ...claims, nonce: "another" })],
    ["another audience", () => signIn({ ...claims, aud: "another" })],
    ["another state", async () => {
      const { back, cookie } = await depart(dashboard);
      return arrive(dashboard, { back: back.replace(/state=[^&]+/, "state=x"), cookie });
    }],
    ["another browser's cookie", async () => {
      const [mine, theirs] = [await depart(dashboard), await depart(dashboard)];
      return arrive(dashboard, { back: theirs.back, cookie: mine.cookie });
    }],
    ["a code used twice", async () => {
      const departure = await depart(dashboard);
      provider.next = { sub: "stranger" };
      await arrive(dashboard, departure);
      provider.next = claims;
      return arrive(dashboard, departure);
    }],
    ["a code of one's own choice", async () => {
      const { back, cookie } = await depart(dashboard);
      return arrive(dashboard, { back: back.replace(/code=[^&]+/, "code=x"), cookie });
    }],
  ];
  for (const [name, attempt] of tries) {
    provider.next = claims;
    const { to, session } = await attempt();
    assert.deepEqual([to, session], ["/?refused=provider", undefined], name);
  }
  provider.forges = true;
  assert.equal((await signIn(claims)).to, "/?refused=provider");
  provider.forges = false;
  const { back } = await depart(dashboard);
  assert.equal((await arrive(dashboard, { back, cookie: "" })).to, "/?refused=expired");
  assert.equal((await arrive(dashboard, { back, cookie: "bm8ganNvbg" })).to, "/?refused=expired");
});

test("a provider that is down is reported, and queried again the next time", async () => {
  provider.isDown = true;
  const { headers } = await dashboard.signedOut.get("/api/sign-in/oidc");
  assert.equal(headers["location"], "/?refused=provider");
  provider.isDown = false;
  const claims = { sub: "e", email: "editor@own.example", email_verified: true };
  assert.equal((await signIn(claims)).to, "/");
});
