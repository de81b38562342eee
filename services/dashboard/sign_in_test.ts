import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { until } from "@posthaste/kit";
import {
  openTestDashboard,
  SETUP_CODE,
  TEST_PASSWORD_COST,
  type TestDashboard,
} from "./_test_dashboard.ts";
import { hashPassword, PASSWORD_COST } from "@posthaste/storage";
import { SESSION_COOKIE } from "./guard.ts";

const PASSWORD = "correct horse battery";
const FIRST = {
  ...{ accountName: "Shop", name: "Jane", email: "Jane@Shop.example", password: PASSWORD },
  setupCode: SETUP_CODE,
};
const from = (address: string) => ({ "x-forwarded-for": address });
const options = {
  edge: { connections: { max: 100, maxPerClient: 100, proxies: ["127.0.0.1"] } },
};

/** Creates a member of `own` with a password. */
async function jane({ store, own }: TestDashboard, passwordHash?: string) {
  passwordHash ??= await hashPassword(PASSWORD, TEST_PASSWORD_COST);
  const user = await store.people.create({
    email: "jane@shop.example",
    name: "Jane",
    passwordHash,
  });
  await store.people.setMember({ accountId: own.accountId, userId: user._id, role: "editor" });
  return user;
}

test("POST /api/sign-in/setup creates the first account and signs its owner in, once", async () => {
  await using dashboard = await openTestDashboard({ isEmpty: true });
  const { signedOut, browser, store } = dashboard;
  assert.equal((await signedOut.get("/api/sign-in")).body.needsSetup, true);
  const { status, cookies } = await signedOut.post("/api/sign-in/setup", FIRST);
  assert.equal(status, 200);
  const { body } = await browser(cookies[SESSION_COOKIE]).get("/api/session");
  assert.deepEqual([body.role, body.account.name, body.user.email], [
    ...["owner", "Shop", "jane@shop.example"],
  ]);
  assert.equal((await signedOut.get("/api/sign-in")).body.needsSetup, false);
  const again = await signedOut.post("/api/sign-in/setup", { ...FIRST, email: "b@b.example" });
  assert.equal(again.body.code, "conflict");
  assert.deepEqual(await store.people.listByEmail("b@b.example"), []);
  const lines = await store.audit.list(body.account.id, { limit: 5 });
  assert.deepEqual(lines.map(({ action }) => action), ["session.began", "account.created"]);
});

test("POST /api/sign-in/setup creates one owner for concurrent requests", async () => {
  await using dashboard = await openTestDashboard({ isEmpty: true });
  const answers = await Promise.all(
    Array.from({ length: 4 }, (_, i) =>
      dashboard.signedOut.post("/api/sign-in/setup", {
        ...FIRST,
        ...{ email: `p${i}@a.example`, accountName: `A${i}` },
      })),
  );
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409, 409, 409]);
  assert.equal((await dashboard.store.accounts.list()).length, 1);
});

test("POST /api/sign-in/setup refuses wrong codes, at last without checking, and weak passwords", async () => {
  await using dashboard = await openTestDashboard({ isEmpty: true, options });
  const { signedOut, store } = dashboard;
  const post = (changes: object, address: string) =>
    signedOut.post("/api/sign-in/setup", { ...FIRST, ...changes }, from(address));
  for (const password of ["short", "x".repeat(201), "jane@shop.example"]) {
    const { status, body } = await post({ password }, "192.0.2.1");
    assert.deepEqual([status, body.issues[0].path], [400, "password"], password);
  }
  for (let i = 0; i < 5; i++) {
    assert.equal((await post({ setupCode: `${i}` }, "192.0.2.2")).body.code, "wrong_code");
  }
  const { status, headers } = await post({}, "192.0.2.2");
  assert.equal(status, 429);
  assert.equal(headers["retry-after"], "60");
  assert.equal(await store.people.hasAny(), false);
});

test("POST /api/sign-in/login signs in with the right password, under a new token", async () => {
  await using dashboard = await openTestDashboard();
  const { signedOut, browser, own, store } = dashboard;
  const user = await jane(dashboard);
  const login = { email: " JANE@shop.example ", password: PASSWORD };
  const first = await signedOut.post("/api/sign-in/login", login);
  assert.equal(first.status, 200);
  const token = first.cookies[SESSION_COOKIE] ?? "";
  assert.match(
    String(first.headers["set-cookie"]),
    /^__Host-posthaste=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
  const { body } = await browser(token).get("/api/session");
  assert.deepEqual([body.user.id, body.account.id], [user._id, own.accountId]);
  const second = await browser(token).post("/api/sign-in/login", login);
  assert.notEqual(second.cookies[SESSION_COOKIE], token);
  assert.equal((await browser(token).get("/api/session")).status, 401);
  assert.equal((await store.sessions.list(user._id, new Date())).length, 1);
});

test("POST /api/sign-in/login returns the same for an unknown address, no password and a wrong one", async () => {
  await using dashboard = await openTestDashboard({ options });
  await jane(dashboard);
  const times = new Map<string, number[]>();
  for (let i = 0; i < 4; i++) {
    for (const email of ["jane@shop.example", "nobody@shop.example", "viewer@own.example", "no"]) {
      // Processor time: on a busy machine wall time means nothing.
      const before = process.cpuUsage();
      const login = { email, password: "wrong horse battery" };
      const answer = await dashboard.signedOut.post(
        "/api/sign-in/login",
        login,
        from(`192.0.2.${i}`),
      );
      const { user, system } = process.cpuUsage(before);
      times.set(email, [...times.get(email) ?? [], (user + system) / 1000]);
      assert.deepEqual([answer.status, answer.body, answer.cookies], [
        400,
        { error: "The email address or the password is wrong", code: "wrong_login" },
        {},
      ]);
    }
  }
  // Each has computed a hash: without it an answer takes a millisecond or two.
  const least = [...times.values()].map((list) => Math.min(...list));
  assert.ok(Math.min(...least) > Math.max(...least) / 3, least.join());
});

test("POST /api/sign-in/login imposes a wait after many failures, and not on others", async () => {
  await using dashboard = await openTestDashboard({ options });
  await jane(dashboard);
  const login = (email: string, address: string, password = "wrong horse battery") =>
    dashboard.signedOut.post("/api/sign-in/login", { email, password }, from(address));
  const many = Array.from({ length: 12 }, () => login("jane@shop.example", "192.0.2.1"));
  const statuses = (await Promise.all(many)).map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 400).length, 5);
  const refused = await login("jane@shop.example", "192.0.2.1", PASSWORD);
  assert.deepEqual([refused.status, refused.body.code], [429, "too_many_requests"]);
  assert.ok(Number(refused.headers["retry-after"]) > 50);
  assert.equal((await login("jane@shop.example", "192.0.2.2", PASSWORD)).status, 200);
  assert.equal((await login("joe@shop.example", "192.0.2.1")).status, 400);
});

test("sign-ins of another login with the same address give a stranger no further guesses", async () => {
  await using dashboard = await openTestDashboard({ options });
  const { store, own, signedOut } = dashboard;
  await jane(dashboard);
  const theirPassword = "another horse entirely";
  const passwordHash = await hashPassword(theirPassword, TEST_PASSWORD_COST);
  const other = await store.people.create({
    ...{ email: "jane@shop.example", name: "Not Jane", passwordHash },
  });
  await store.people.setMember({ accountId: own.accountId, userId: other._id, role: "viewer" });
  const login = async (password: string) => {
    const body = { email: "jane@shop.example", password };
    return (await signedOut.post("/api/sign-in/login", body, from("192.0.2.1"))).status;
  };
  const guesses: number[] = [];
  for (let n = 0; n < 12; n++) {
    guesses.push(await login(`wrong horse battery ${n}`));
    if (n % 4 === 3) await login(theirPassword);
  }
  assert.deepEqual(guesses, [...Array(5).fill(400), ...Array(7).fill(429)]);
});

test("each sign-in is in the audit log, a refused one in that of each account of the person", async () => {
  await using dashboard = await openTestDashboard({ options });
  const { own, foreign, store } = dashboard;
  const user = await jane(dashboard);
  await store.people.setMember({ accountId: foreign.accountId, userId: user._id, role: "viewer" });
  const login = (password: string, email = user.email) =>
    dashboard.signedOut.post("/api/sign-in/login", { email, password }, {
      ...from("192.0.2.7"),
      "user-agent": "Firefox",
    });
  await login("wrong horse battery");
  await login(PASSWORD, "nobody@shop.example");
  await login(PASSWORD);
  const linesOf = async (accountId: string) =>
    (await store.audit.list(accountId, { limit: 9 })).map(({ action, userId, target, details }) => [
      ...[action, userId, target, details["address"], details["browser"] ?? details["why"]],
    ]);
  const refused = ["session.refused", null, user.email, "192.0.2.7", "wrong password"];
  await until(async () => (await linesOf(foreign.accountId)).length === 1);
  assert.deepEqual(await linesOf(foreign.accountId), [refused]);
  const began = ["session.began", user._id, user.email, "192.0.2.7", "Firefox"];
  assert.deepEqual((await linesOf(own.accountId)).toSorted(), [began, refused].toSorted());
});

test("POST /api/sign-in/login limits a network address that tries many people", async () => {
  await using dashboard = await openTestDashboard({ options });
  const login = (i: number, address: string) =>
    dashboard.signedOut.post("/api/sign-in/login", {
      ...{ email: `p${i}@shop.example`, password: "wrong horse battery" },
    }, from(address));
  const statuses: number[] = [];
  for (let i = 0; i < 32; i++) statuses.push((await login(i, "192.0.2.1")).status);
  assert.deepEqual(statuses, [...Array(30).fill(400), 429, 429]);
  assert.equal((await login(99, "192.0.2.2")).status, 400);
});

test("POST /api/sign-in/login hashes a password again that was stored at a lower cost", async () => {
  await using dashboard = await openTestDashboard({ options: { passwordCost: PASSWORD_COST } });
  const old = await hashPassword(PASSWORD, { ...PASSWORD_COST, memory: 1024 });
  const user = await jane(dashboard, old);
  const login = { email: user.email, password: PASSWORD };
  assert.equal((await dashboard.signedOut.post("/api/sign-in/login", login)).status, 200);
  assert.match((await dashboard.store.people.find(user._id))?.passwordHash ?? "", /m=19456,/);
  assert.equal((await dashboard.signedOut.post("/api/sign-in/login", login)).status, 200);
});

test("POST /api/sign-in/login reports to a user without a membership that they need an invitation", async () => {
  await using dashboard = await openTestDashboard();
  const user = await jane(dashboard);
  await dashboard.store.people.removeMember(dashboard.own.accountId, user._id);
  const login = { email: user.email, password: PASSWORD };
  const { status, body, cookies } = await dashboard.signedOut.post("/api/sign-in/login", login);
  assert.deepEqual([status, body.code, cookies], [403, "not_allowed", {}]);
});

test("POST /api/sign-in/demo exists only if the operator has named an account for it", async () => {
  await using dashboard = await openTestDashboard();
  assert.equal((await dashboard.signedOut.post("/api/sign-in/demo")).status, 404);
  await using demo = await openTestDashboard({ options: { demoAccount: "Own" } });
  const { status, cookies } = await demo.signedOut.post("/api/sign-in/demo");
  assert.equal(status, 200);
  const { body } = await demo.browser(cookies[SESSION_COOKIE]).get("/api/session");
  assert.deepEqual([body.account.name, body.role], ["Own", "owner"]);
});
