import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import {
  openTestDashboard,
  type Person,
  TEST_PASSWORD_COST,
  type TestDashboard,
} from "./_test_dashboard.ts";
import type { AuditPage } from "./interface/people.ts";
import { SESSION_COOKIE } from "./guard.ts";
import { hashPassword } from "@posthaste/storage";

const PASSWORD = "correct horse battery";

let dashboard: TestDashboard;
let time: Date;
beforeEach(async () => {
  time = new Date();
  dashboard = await openTestDashboard({ now: () => (time = new Date(time.getTime() + 1)) });
});
afterEach(() => dashboard[Symbol.asyncDispose]());

/** Returns the newest audit entry that is not a sign-in. */
async function lastAuditEntry(person: Person) {
  const { lines } = (await person.get("/api/audit")).body as AuditPage;
  const line = lines.find((each) => !each.action.startsWith("session."));
  const { who, action, target, details } = line ?? assert.fail("nothing was done");
  return { who, action, target, details };
}

async function invite(email: string, role = "editor") {
  const { status, body } = await dashboard.own.owner.post("/api/invitations", { email, role });
  assert.equal(status, 200);
  const token = new URL(body.link).pathname.replace("/invitation/", "");
  return { token, id: body.invitation.id as string, link: body.link as string };
}

test("an invitation makes a new person a member, once, with their own name and password", async () => {
  const { own, signedOut, browser } = dashboard;
  const { token, link } = await invite("New@Shop.example");
  assert.match(link, /^http:\/\/localhost:8081\/invitation\/[\w-]{43}$/);
  const path = `/api/sign-in/invitation/${token}`;
  const offer = (await signedOut.get(path)).body;
  assert.deepEqual({ ...offer, expiresAt: undefined }, {
    ...{ accountName: "Own", email: "new@shop.example", role: "editor", expiresAt: undefined },
    ...{ invitedBy: "Own owner", isMailed: false },
  });
  const weak = await signedOut.post(path, { name: "New", password: "short" });
  assert.equal(weak.body.issues[0].path, "password");
  assert.equal((await signedOut.post(path, { password: PASSWORD })).body.issues[0].path, "name");
  const { status, cookies } = await signedOut.post(path, { name: "New", password: PASSWORD });
  assert.equal(status, 200);
  const session = (await browser(cookies[SESSION_COOKIE]).get("/api/session")).body;
  assert.deepEqual([session.user.name, session.role, session.account.name], [
    ...["New", "editor", "Own"],
  ]);
  assert.equal((await signedOut.get(path)).status, 404);
  assert.equal((await signedOut.post(path, { name: "Second", password: PASSWORD })).status, 404);
  const login = { email: "new@shop.example", password: PASSWORD };
  assert.equal((await signedOut.post("/api/sign-in/login", login)).status, 200);
  assert.deepEqual(await lastAuditEntry(own.owner), {
    ...{ who: "New", action: "invitation.accepted", target: "invitation of new@shop.example" },
    details: { role: "editor" },
  });
});

test("an invitation is accepted only by the user signed in under its address", async () => {
  const { foreign, own } = dashboard;
  const { token } = await invite(foreign.editor.user.email, "viewer");
  const path = `/api/invitations/${token}/accept`;
  for (const other of [own.owner, foreign.owner]) {
    const { status, body } = await other.post(path);
    assert.deepEqual([status, body.code], [403, "not_allowed"]);
  }
  assert.equal((await foreign.editor.post(path)).status, 200);
  const { body } = await foreign.editor.get("/api/session");
  assert.deepEqual([body.account.name, body.role], ["Own", "viewer"]);
  assert.equal((await foreign.editor.post(path)).status, 404);
});

test("an invitation ends after 7 days, when it is withdrawn, and when another is sent", async () => {
  const { own, signedOut } = dashboard;
  const status = async (token: string) =>
    (await signedOut.get(`/api/sign-in/invitation/${token}`)).status;
  const first = await invite("new@shop.example");
  const second = await invite("new@shop.example");
  assert.deepEqual([await status(first.token), await status(second.token)], [404, 200]);
  assert.equal((await own.owner.delete(`/api/invitations/${second.id}`)).status, 200);
  assert.equal((await own.owner.delete(`/api/invitations/${second.id}`)).status, 404);
  assert.equal(await status(second.token), 404);
  const third = await invite("new@shop.example");
  time = new Date(time.getTime() + 7 * 24 * 3600_000);
  assert.equal(await status(third.token), 404);
  const { body } = await own.owner.get("/api/members");
  assert.deepEqual(body.invitations, []);
});

test("POST /api/invitations refuses existing members, and more than a hundred invitations", async () => {
  const { own, store } = dashboard;
  const again = await own.owner.post("/api/invitations", {
    email: own.viewer.user.email,
    role: "owner",
  });
  assert.equal(again.body.code, "conflict");
  for (let i = 0; i < 100; i++) {
    await store.invitations.create({
      ...{ _id: `i${i}`, accountId: own.accountId, email: `p${i}@x.example`, role: "viewer" },
      ...{ invitedBy: "x", createdAt: time, expiresAt: new Date(time.getTime() + 1000) },
    });
  }
  const full = await own.owner.post("/api/invitations", { email: "new@x.example", role: "viewer" });
  assert.equal(full.body.code, "conflict");
  assert.equal(
    (await own.owner.post("/api/invitations", { email: "p7@x.example", role: "viewer" })).status,
    200,
  );
});

test("GET /api/members shows members to all who may read, and invitations only to owners", async () => {
  const { own } = dashboard;
  await invite("new@shop.example");
  const seen = (await own.viewer.get("/api/members")).body;
  assert.deepEqual(seen.members.map(({ email }: { email: string }) => email).toSorted(), [
    ...["editor@own.example", "owner@own.example", "texts@own.example", "viewer@own.example"],
  ]);
  assert.deepEqual(seen.invitations, []);
  const { invitations } = (await own.owner.get("/api/members")).body;
  assert.deepEqual(
    invitations.map(({ email, invitedBy }: Record<string, string>) => [email, invitedBy]),
    [
      ["new@shop.example", "Own owner"],
    ],
  );
});

test("PUT and DELETE /api/members/:userId change and end memberships immediately, except the last owner's", async () => {
  const { own } = dashboard;
  const { owner, editor, viewer } = own;
  const refused = await owner.put(`/api/members/${owner.user._id}`, { role: "viewer" });
  assert.equal(refused.body.code, "conflict");
  assert.equal((await owner.delete(`/api/members/${owner.user._id}`)).body.code, "conflict");
  assert.equal((await owner.put(`/api/members/${editor.user._id}`, { role: "owner" })).status, 200);
  assert.deepEqual(await lastAuditEntry(editor), {
    ...{ who: "Own owner", action: "member.role_changed", target: "editor@own.example" },
    details: { from: "editor", to: "owner" },
  });
  assert.equal((await editor.delete(`/api/members/${viewer.user._id}`)).status, 200);
  assert.equal((await viewer.get("/api/session")).status, 401);
  assert.equal(
    (await editor.put(`/api/members/${owner.user._id}`, { role: "viewer" })).status,
    200,
  );
  assert.equal((await owner.get("/api/audit")).status, 403);
  assert.equal((await owner.put(`/api/members/${owner.user._id}`, { role: "owner" })).status, 403);
});

test("two owners who demote each other at the same time leave one owner", async () => {
  const { own, store } = dashboard;
  const { owner, editor } = own;
  for (let i = 0; i < 5; i++) {
    for (const { user } of [owner, editor]) {
      await store.people.setMember({ accountId: own.accountId, userId: user._id, role: "owner" });
    }
    await Promise.all([
      owner.put(`/api/members/${editor.user._id}`, { role: "viewer" }),
      editor.delete(`/api/members/${owner.user._id}`),
    ]);
    const members = await store.people.listMembers(own.accountId);
    assert.equal(members.filter(({ member }) => member.role === "owner").length, 1);
  }
});

test("PUT /api/you/password requires the old one, and signs the other browsers out", async () => {
  const { own, store, signIn } = dashboard;
  const { user } = own.viewer;
  const put = (current: string, password: string) =>
    own.viewer.put("/api/you/password", { current, password });
  assert.equal((await put(PASSWORD, "another horse")).body.code, "conflict");
  await store.people.update(user._id, {
    passwordHash: await hashPassword(PASSWORD, TEST_PASSWORD_COST),
  });
  const other = await signIn(user, own.accountId);
  assert.equal((await put("wrong horse battery", "another horse")).body.code, "wrong_login");
  assert.equal((await put(PASSWORD, "short")).body.code, "invalid_request");
  assert.equal((await other.get("/api/session")).status, 200);
  assert.equal((await put(PASSWORD, "another horse")).body.ended, 1);
  assert.equal((await other.get("/api/session")).status, 401);
  assert.equal((await own.viewer.get("/api/session")).status, 200);
  const login = { email: user.email, password: "another horse" };
  assert.equal((await dashboard.signedOut.post("/api/sign-in/login", login)).status, 200);
  assert.equal((await lastAuditEntry(own.owner)).action, "password.changed");
});

test("PUT /api/you/password imposes a wait after wrong guesses of the old one", async () => {
  const { own, store } = dashboard;
  await store.people.update(own.viewer.user._id, {
    passwordHash: await hashPassword(PASSWORD, TEST_PASSWORD_COST),
  });
  const statuses: number[] = [];
  for (let i = 0; i < 6; i++) {
    const body = { current: `wrong horse ${i}`, password: "another horse" };
    statuses.push((await own.viewer.put("/api/you/password", body)).status);
  }
  assert.deepEqual(statuses, [400, 400, 400, 400, 400, 429]);
});

test("PUT /api/you/email requires the password, and signs the other browsers out", async () => {
  const { own, store, signIn, signedOut } = dashboard;
  const { user } = own.viewer;
  const put = (current: string, email: string) =>
    own.viewer.put("/api/you/email", { current, email });
  assert.equal((await put(PASSWORD, "new@own.example")).body.code, "conflict");
  await store.people.update(user._id, {
    passwordHash: await hashPassword(PASSWORD, TEST_PASSWORD_COST),
  });
  const other = await signIn(user, own.accountId);
  assert.equal((await put("wrong horse battery", "new@own.example")).body.code, "wrong_login");
  assert.equal((await put(PASSWORD, "no address")).body.code, "invalid_request");
  assert.equal((await put(PASSWORD, user.email)).body.ended, 0);
  assert.equal((await put(PASSWORD, "New@Own.example")).body.ended, 1);
  assert.equal((await other.get("/api/session")).status, 401);
  assert.equal((await own.viewer.get("/api/session")).body.user.email, "new@own.example");
  const login = (email: string) =>
    signedOut.post("/api/sign-in/login", { email, password: PASSWORD });
  assert.equal((await login(user.email)).body.code, "wrong_login");
  assert.equal((await login("new@own.example")).status, 200);
  assert.deepEqual(await lastAuditEntry(own.owner), {
    ...{ who: "Own viewer", action: "person.address_changed", target: "Own viewer" },
    details: { from: "viewer@own.example", to: "new@own.example" },
  });
});

test("DELETE /api/you/membership ends the caller's own, but not that of the only owner", async () => {
  const { own } = dashboard;
  assert.equal((await own.owner.delete("/api/you/membership")).body.code, "conflict");
  assert.equal((await own.viewer.delete("/api/you/membership")).status, 200);
  assert.equal((await own.viewer.get("/api/session")).status, 401);
  assert.deepEqual(await lastAuditEntry(own.owner), {
    ...{
      who: "viewer@own.example",
      action: "member.left",
      target: "viewer@own.example",
      details: {},
    },
  });
});

test("POST /api/you/removal removes a person everywhere, but not the only owner of an account", async () => {
  const { own, foreign, store, signedOut } = dashboard;
  const { user } = own.editor;
  await store.people.setMember({ accountId: foreign.accountId, userId: user._id, role: "viewer" });
  await store.people.update(user._id, {
    passwordHash: await hashPassword(PASSWORD, TEST_PASSWORD_COST),
  });
  const needed = await own.owner.post("/api/you/removal", {});
  assert.equal(needed.body.code, "conflict");
  assert.match(needed.body.error, /"Own"/);
  const wrong = await own.editor.post("/api/you/removal", { current: "wrong horse battery" });
  assert.equal(wrong.body.code, "wrong_login");
  assert.equal((await own.editor.post("/api/you/removal", {})).body.code, "wrong_login");
  assert.equal((await own.editor.get("/api/session")).status, 200);
  assert.equal((await own.editor.post("/api/you/removal", { current: PASSWORD })).status, 200);
  assert.equal((await own.editor.get("/api/session")).status, 401);
  const login = { email: user.email, password: PASSWORD };
  assert.equal((await signedOut.post("/api/sign-in/login", login)).body.code, "wrong_login");
  assert.equal(await store.people.find(user._id), null);
  assert.deepEqual([...await store.people.listMemberships(user._id)], []);
  assert.deepEqual(await store.sessions.list(user._id, time), []);
  for (const owner of [own.owner, foreign.owner]) {
    assert.deepEqual(await lastAuditEntry(owner), {
      ...{ who: user.email, action: "person.removed", target: user.email, details: {} },
    });
  }
});

test("sessions are listed, ended one by one, and all together", async () => {
  const { own, signIn } = dashboard;
  const { viewer } = own;
  const others = [
    await signIn(viewer.user, own.accountId),
    await signIn(viewer.user, own.accountId),
  ];
  const [first, second] = others;
  assert.ok(first && second);
  const { body } = await viewer.get("/api/you/sessions");
  assert.equal(body.length, 3);
  const mine = body.filter(({ isThis }: { isThis: boolean }) => isThis);
  assert.deepEqual(mine.map(({ id }: { id: string }) => id), [viewer.sessionId]);
  assert.equal((await viewer.delete(`/api/you/sessions/${first.sessionId}`)).status, 200);
  assert.equal((await first.get("/api/session")).status, 401);
  assert.equal((await viewer.delete(`/api/you/sessions/${first.sessionId}`)).status, 404);
  assert.equal((await viewer.delete("/api/you/sessions")).body.ended, 2);
  assert.equal((await second.get("/api/session")).status, 401);
  assert.equal((await viewer.get("/api/session")).status, 401);
  assert.equal((await own.editor.get("/api/session")).status, 200);
});

test("PATCH /api/you and /api/account change names, and show nothing of other accounts", async () => {
  const { own } = dashboard;
  assert.equal((await own.viewer.patch("/api/you", { name: "  Vera  " })).status, 200);
  assert.equal((await own.viewer.get("/api/session")).body.user.name, "Vera");
  assert.equal((await own.viewer.patch("/api/you", { name: "a\nb" })).status, 400);
  assert.equal((await own.owner.patch("/api/account", { name: "Foreign" })).status, 200);
  assert.equal((await own.owner.patch("/api/account", { name: "Own" })).status, 200);
  assert.equal((await own.owner.patch("/api/account", { name: "Shop" })).status, 200);
  assert.deepEqual((await lastAuditEntry(own.owner)).details, { from: "Own", to: "Shop" });
  assert.equal((await own.viewer.get("/api/account")).body.name, "Shop");
});

test("PUT /api/account/suppression turns the suppression of refused addresses off, for owners only", async () => {
  const { owner, editor } = dashboard.own;
  const read = async () => (await owner.get("/api/account")).body.suppressRefused;
  assert.equal(await read(), true);
  const off = await owner.put("/api/account/suppression", { suppressRefused: false });
  assert.equal(off.status, 200);
  assert.equal(await read(), false);
  const refused = await editor.put("/api/account/suppression", { suppressRefused: true });
  assert.equal(refused.status, 403);
  assert.equal((await owner.put("/api/account/suppression", { suppressRefused: 1 })).status, 400);
});

test("PUT /api/account/retention accepts 0 to 365 whole days", async () => {
  const { own, foreign, store } = dashboard;
  for (const contentDays of [-1, 366, 1.5, "7", null]) {
    const { status } = await own.owner.put("/api/account/retention", { contentDays });
    assert.equal(status, 400, String(contentDays));
  }
  assert.equal((await own.owner.put("/api/account/retention", { contentDays: 0 })).status, 200);
  assert.deepEqual((await store.accounts.find(own.accountId))?.retention, { contentDays: 0 });
  assert.deepEqual((await store.accounts.find(foreign.accountId))?.retention, { contentDays: 7 });
  assert.deepEqual((await lastAuditEntry(own.owner)).details, { from: 7, to: 0 });
});

test("POST /api/accounts creates another account for the caller, and shows it", async () => {
  const { own, store } = dashboard;
  assert.equal((await own.editor.post("/api/accounts", { name: "Second" })).status, 403);
  const { body } = await own.owner.post("/api/accounts", { name: "Second" });
  const session = (await own.owner.get("/api/session")).body;
  assert.deepEqual([session.account, session.role, session.accounts.length], [
    ...[{ id: body.id, name: "Second", requiresSecondFactor: false }, "owner", 2],
  ]);
  assert.deepEqual(await store.people.listMembers(body.id).then((list) => list.length), 1);
});

test("GET /api/audit/export returns all lines of the owner's account, and records the export", async () => {
  const { own, foreign, store } = dashboard;
  // The first batch of a cursor has 101 lines.
  for (const [{ accountId }, count] of [[own, 150], [foreign, 1]] as const) {
    for (let i = 0; i < count; i++) {
      await store.audit.note({
        ...{ accountId, at: time, userId: null, userEmail: null, action: "token.created" },
        ...{ target: `token ${i} of ${accountId}`, details: {} },
      });
    }
  }
  assert.equal((await own.editor.get("/api/audit/export")).status, 403);
  const { status, text, headers } = await own.owner.get("/api/audit/export");
  assert.deepEqual([status, headers["content-type"]], [200, "application/jsonl; charset=utf-8"]);
  const lines = text.trim().split("\n").map((line) => JSON.parse(line));
  assert.equal(new Set(lines.map(({ _id }) => _id)).size, 151);
  assert.equal(lines[0].action, "audit.exported");
  assert.ok(!text.includes(foreign.accountId));
});

test("GET /api/audit returns pages of 50, newest first, of the caller's account", async () => {
  const { own, foreign, store } = dashboard;
  for (let i = 0; i < 120; i++) {
    await store.audit.note({
      ...{ accountId: own.accountId, at: new Date(time.getTime() + i * 1000), userId: null },
      ...{ userEmail: null, action: "token.revoked", target: `${i}`, details: {} },
    });
  }
  const targets: number[] = [];
  const sizes: number[] = [];
  for (let next: string | null = ""; next !== null;) {
    const { body } = await own.owner.get(`/api/audit${next && `?before=${next}`}`);
    targets.push(...body.lines.map(({ target }: { target: string }) => Number(target)));
    sizes.push(body.lines.length);
    next = body.next;
  }
  assert.deepEqual(sizes, [50, 50, 20]);
  assert.deepEqual(targets, Array.from({ length: 120 }, (_, i) => 119 - i));
  assert.deepEqual((await foreign.owner.get("/api/audit")).body, { lines: [], next: null });
});
