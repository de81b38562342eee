import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { User } from "@posthaste/contracts";
import { hashPassword } from "@posthaste/storage";
import { until } from "@posthaste/kit";
import {
  openTestDashboard,
  type Person,
  TEST_PASSWORD_COST,
  type TestDashboard,
} from "./_test_dashboard.ts";
import type { DashboardDeps } from "./dashboard_deps.ts";
import { SESSION_COOKIE } from "./guard.ts";
import { notifyOfExpiries } from "./expiry_notices.ts";
import { notifyOfSuspensions } from "./suspension_notices.ts";
import { openSystemMail } from "./system_mail.ts";
import { SYSTEM_TEMPLATES } from "./system_templates.ts";

const SYSTEM = "Posthaste";
const VICTIM = "ceo@victim.example";
const PASSWORD = "correct horse battery";

let dashboard: TestDashboard;
let time: Date;
/** Ids of the sends that reached the pipeline. */
let dispatched: string[];

const bus = {
  publish: ({ type, data }: { type: string; data: { sendId: string } }) => {
    if (type === "send.requested") dispatched.push(data.sendId);
    return Promise.resolve();
  },
} as unknown as DashboardDeps["bus"];

beforeEach(async () => {
  time = new Date();
  dispatched = [];
  dashboard = await openTestDashboard({
    now: () => time,
    options: { systemAccount: SYSTEM },
    bus,
  });
  const { store } = dashboard;
  const { _id: accountId } = await store.accounts.create({ name: SYSTEM });
  await store.integrations.upsertByName({
    ...{ accountId, name: "out", host: "127.0.0.1", port: 25, tls: "none", auth: null },
    senders: ["posthaste@operator.example"],
  });
});
afterEach(() => dashboard[Symbol.asyncDispose]());

/** Reads the last accepted mail. */
async function lastMail() {
  const { store } = dashboard;
  const system = await store.accounts.find(SYSTEM);
  const send = await store.sends.load(dispatched.at(-1) ?? "");
  assert.equal(send?.accountId, system?._id);
  assert.equal(send?.request.from.email, "posthaste@operator.example");
  const [recipient] = send?.request.to ?? [];
  const link = new URL(String(recipient?.variables?.["link"]));
  assert.equal(link.origin, "http://localhost:8081");
  return {
    to: recipient?.email,
    variables: recipient?.variables,
    token: link.pathname.split("/")[2],
  };
}

/** Creates a person who came by a copied link. */
async function plain(email = VICTIM): Promise<Person> {
  const { store, foreign, signIn } = dashboard;
  const { accountId } = foreign;
  const user = await store.people.create({
    ...{ email, name: "Plain", passwordHash: null, onlyAccountId: accountId },
  });
  await store.people.setMember({ accountId, userId: user._id, role: "owner" });
  return await signIn(user, accountId);
}

test("a mailed link verifies the address for the user who requested it, once, within an hour", async () => {
  const { store } = dashboard;
  const person = await plain();
  assert.equal((await person.post("/api/you/proof")).status, 200);
  const { to, token, variables } = await lastMail();
  assert.deepEqual([to, variables?.["email"]], [VICTIM, VICTIM]);
  // The link is of no use to other logins, neither from a reader of the mail nor from its
  // requester.
  for (const other of [await plain("other@example.com"), await plain()]) {
    assert.equal((await other.post(`/api/you/proof/${token}`)).status, 404);
  }
  time = new Date(time.getTime() + 3600_000);
  assert.equal((await person.post(`/api/you/proof/${token}`)).status, 404);
  time = new Date(time.getTime() - 1000);
  assert.equal((await person.post(`/api/you/proof/${token}`)).status, 200);
  assert.equal((await person.post(`/api/you/proof/${token}`)).status, 404);
  const proven = await store.people.find(person.user._id);
  assert.deepEqual([proven?.emailProvenAt, proven?.onlyAccountId], [time, null]);
  assert.equal((await person.post("/api/accounts", { name: "A third" })).status, 200);
  assert.equal((await person.post("/api/you/proof")).body.code, "conflict");
});

test("an address that another user has verified meanwhile is verified for no other", async () => {
  const person = await plain();
  await person.post("/api/you/proof");
  const { token } = await lastMail();
  await dashboard.store.people.create({
    ...{ email: VICTIM, name: "First", passwordHash: null, emailProvenAt: new Date() },
  });
  assert.equal((await person.post(`/api/you/proof/${token}`)).body.code, "conflict");
});

test("a link is valid only for the address that it was sent to", async () => {
  const { store } = dashboard;
  const person = await plain();
  await person.post("/api/you/proof");
  const { token } = await lastMail();
  await store.people.update(person.user._id, { email: "else@example.com", proof: null });
  assert.equal((await person.post(`/api/you/proof/${token}`)).status, 404);
});

/** Changes the address of a person to the victim's while another request of theirs is in progress. */
async function changeDuring(person: Person, request: () => Promise<unknown>, delayMs: number) {
  const change = { current: PASSWORD, email: VICTIM };
  const [changed] = await Promise.all([
    person.put("/api/you/email", change),
    delay(delayMs).then(request),
  ]);
  assert.equal(changed.status, 200);
}

/** The delays with which two requests meet at different places. */
const DELAYS_MS = [0, 1, 2, 3, 4, 0, 1, 2, 3, 4];

/** Asserts that a person has proven no address, and gives up the victim's. */
async function assertUnproven(person: Person) {
  const { email, emailProvenAt } = await dashboard.store.people.find(person.user._id) ?? {};
  assert.deepEqual([email, emailProvenAt], [VICTIM, null]);
  await dashboard.store.people.remove(person.user._id);
}

/** Creates a person with a password and an address of their own that is not verified. */
async function attacker(email: string): Promise<Person> {
  const person = await plain(email);
  const passwordHash = await hashPassword(PASSWORD, TEST_PASSWORD_COST);
  await dashboard.store.people.update(person.user._id, { passwordHash });
  return person;
}

test("a link verifies no address that its person took while it was sent elsewhere", async () => {
  for (const [n, delayMs] of DELAYS_MS.entries()) {
    const person = await attacker(`attacker${n}@elsewhere.example`);
    await changeDuring(person, () => person.post("/api/you/proof"), delayMs);
    const { to, token } = await lastMail().catch(() => ({ to: VICTIM, token: "" }));
    if (to !== VICTIM) await person.post(`/api/you/proof/${token}`);
    await assertUnproven(person);
  }
});

test("an invitation's link verifies no address that its person took while they accepted it", async () => {
  const { own } = dashboard;
  for (const [n, delayMs] of DELAYS_MS.entries()) {
    const email = `attacker${n}@elsewhere.example`;
    const person = await attacker(email);
    await own.owner.post("/api/invitations", { email, role: "viewer" });
    const { token } = await lastMail();
    await changeDuring(person, () => person.post(`/api/invitations/${token}/accept`), delayMs);
    await assertUnproven(person);
  }
});

test("repeated mail to one address is refused", async () => {
  const person = await plain();
  const statuses: number[] = [];
  for (let n = 0; n < 6; n++) statuses.push((await person.post("/api/you/proof")).status);
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429]);
  // The same holds for another login with the address.
  assert.equal((await (await plain()).post("/api/you/proof")).status, 429);
});

test("an invitation is sent only to the invited address, and its link verifies the address", async () => {
  const { own, signedOut, browser, store } = dashboard;
  const invite = async (email: string) => {
    const { body } = await own.owner.post("/api/invitations", { email, role: "editor" });
    assert.equal(body.link, null);
    return await lastMail();
  };
  const { to, token, variables } = await invite(VICTIM);
  assert.deepEqual([to, variables?.["account"], variables?.["inviter"]], [
    ...[VICTIM, "Own", "Own owner"],
  ]);
  const path = `/api/sign-in/invitation/${token}`;
  assert.equal((await signedOut.get(path)).body.isMailed, true);
  const { cookies } = await signedOut.post(path, { name: "Chief", password: PASSWORD });
  const { user } = (await browser(cookies[SESSION_COOKIE]).get("/api/session")).body;
  assert.equal(user.isProven, true);
  assert.equal((await store.people.find(user.id))?.onlyAccountId, null);
  // A second login must not use the same address.
  await store.people.removeMember(own.accountId, user.id);
  const again = await invite(VICTIM);
  const second = await signedOut.post(`/api/sign-in/invitation/${again.token}`, {
    ...{ name: "Second", password: PASSWORD },
  });
  assert.equal(second.body.code, "conflict");
});

test("a signed-in user verifies their address by joining with a link that was sent there", async () => {
  const { own, store } = dashboard;
  const person = await plain();
  await own.owner.post("/api/invitations", { email: VICTIM, role: "viewer" });
  const { token } = await lastMail();
  assert.equal((await person.post(`/api/invitations/${token}/accept`)).status, 200);
  const user = await store.people.find(person.user._id);
  assert.deepEqual([user?.emailProvenAt, user?.onlyAccountId], [time, null]);
});

/** Returns the sent mails, by kind and recipient. */
async function sentMails(): Promise<{ kind: string; to: string | undefined; variables: object }[]> {
  const { store } = dashboard;
  return await Promise.all(dispatched.map(async (id) => {
    const send = await store.sends.load(id);
    const [recipient] = send?.request.to ?? [];
    const templates = await store.templates.list(send?.accountId ?? "", "email");
    const alias = templates.find((each) => each.id === send?.template.id)?.alias ?? "";
    return { kind: alias, to: recipient?.email, variables: recipient?.variables ?? {} };
  }));
}

/** Creates a member with a password and a verified address. */
async function known(email = "jane@shop.example"): Promise<User> {
  const { store, own } = dashboard;
  const user = await store.people.create({
    ...{
      email,
      name: "Jane",
      emailProvenAt: time,
      passwordHash: await hashPassword(PASSWORD, TEST_PASSWORD_COST),
    },
  });
  await store.people.setMember({ accountId: own.accountId, userId: user._id, role: "editor" });
  return user;
}

const login = (password: string, agent = "Firefox") =>
  dashboard.signedOut.post("/api/sign-in/login", { email: "jane@shop.example", password }, {
    "user-agent": agent,
  });

test("a forgotten password is replaced by a link, once, within an hour, and signs out everywhere", async () => {
  const user = await known();
  const { signedOut, store, own, signIn } = dashboard;
  const before = await signIn(user, own.accountId);
  const forget = () => signedOut.post("/api/sign-in/forgotten", { email: "Jane@shop.example" });
  // The second link invalidates the first.
  for (const count of [1, 2]) {
    assert.equal((await forget()).status, 200);
    await until(() => dispatched.length === count);
  }
  const { to, token = "" } = await lastMail();
  assert.equal(to, "jane@shop.example");
  const reset = (path: string, password = "another horse entirely") =>
    signedOut.post(`/api/sign-in/reset/${path}`, { password });
  assert.equal((await reset(token, "passwordpassword")).body.issues[0].path, "password");
  const other = await known("joe@shop.example");
  const [, secret] = token.split("~");
  for (const wrong of [`${other._id}~${secret}`, `${user._id}~${"A".repeat(43)}`]) {
    assert.equal((await reset(wrong)).body.code, "not_found");
  }
  assert.equal((await reset(token)).status, 200);
  assert.equal((await reset(token)).body.code, "not_found");
  assert.equal((await before.get("/api/session")).body.code, "signed_out");
  assert.equal((await login(PASSWORD)).body.code, "wrong_login");
  assert.equal((await login("another horse entirely")).status, 200);
  const lines = await store.audit.list(own.accountId, { limit: 9 });
  assert.ok(lines.some(({ action }) => action === "password.reset"));
  assert.equal((await forget()).status, 200);
  await until(async () => (await store.people.find(user._id))?.reset !== null);
  const late = (await lastMail()).token ?? "";
  time = new Date(time.getTime() + 3600_000);
  assert.equal((await reset(late)).body.code, "not_found");
});

test("a password link is invalid once the password or the address was changed otherwise", async () => {
  const user = await known();
  const { signedOut, own, signIn, store } = dashboard;
  const jane = await signIn(user, own.accountId);
  const changed = "another horse entirely";
  const changes = [
    ["password", { current: PASSWORD, password: changed }],
    ["email", { current: changed, email: "jane@new.example" }],
  ] as const;
  for (const [count, [what, body]] of changes.entries()) {
    await signedOut.post("/api/sign-in/forgotten", { email: "jane@shop.example" });
    await until(() => dispatched.length === count + 1);
    const { token = "" } = await lastMail();
    assert.notEqual((await store.people.find(user._id))?.reset, null);
    assert.equal((await jane.put(`/api/you/${what}`, body)).status, 200);
    const stolen = { password: "a horse of a thief" };
    const { status } = await signedOut.post(`/api/sign-in/reset/${token}`, stolen);
    assert.equal(status, 404, what);
  }
});

test("a password link is sent only to verified addresses, and the answer does not reveal which", async () => {
  const { store, signedOut } = dashboard;
  const unproven = await known("unproven@shop.example");
  await store.people.update(unproven._id, { emailProvenAt: null });
  const elsewhere = await known("elsewhere@shop.example");
  await store.people.update(elsewhere._id, { passwordHash: null });
  for (const email of ["unproven", "elsewhere", "nobody"]) {
    const asked = { email: `${email}@shop.example` };
    const { status, body } = await signedOut.post("/api/sign-in/forgotten", asked);
    assert.deepEqual([status, body], [200, {}]);
  }
  await known();
  await signedOut.post("/api/sign-in/forgotten", { email: "jane@shop.example" });
  await until(() => dispatched.length > 0);
  assert.deepEqual((await sentMails()).map(({ to }) => to), ["jane@shop.example"]);
  const many: number[] = [];
  for (let i = 0; i < 6; i++) {
    const asked = { email: "nobody@shop.example" };
    many.push((await signedOut.post("/api/sign-in/forgotten", asked)).status);
  }
  assert.deepEqual(many, [200, 200, 200, 200, 429, 429]);
});

test("a sign-in with a new browser is reported to the person, once", async () => {
  await known();
  time = new Date(time.getTime() + 61_000);
  for (const agent of ["Firefox", "Firefox", "Chrome", "Firefox"]) {
    assert.equal((await login(PASSWORD, agent)).status, 200);
  }
  const mails = await sentMails();
  assert.deepEqual(mails.map(({ kind, to }) => [kind, to]), [
    ...[["posthaste-entry", "jane@shop.example"], ["posthaste-entry", "jane@shop.example"]],
  ]);
  assert.match(JSON.stringify(mails[1]?.variables), /"browser":"Chrome","address":"127.0.0.1"/);
});

test("owners are notified of a token, without the token", async () => {
  const { own } = dashboard;
  const made = await own.owner.post("/api/tokens", {
    ...{ name: "Shop", scopes: ["send"], expiresAt: null },
  });
  const mails = await sentMails();
  assert.deepEqual(mails.map(({ kind, to }) => [kind, to]), [
    ["posthaste-token", "owner@own.example"],
  ]);
  assert.ok(!JSON.stringify(mails).includes(made.body.text));
});

test("owners are notified once that an integration is suspended, and not through that integration", async () => {
  const { store, own, log } = dashboard;
  const system = await store.accounts.find(SYSTEM);
  const deps = { store, now: () => time, ...depsOf(), publicUrl: "http://localhost:8081" };
  const mail = openSystemMail({ account: SYSTEM }, deps);
  const look = () =>
    Promise.all([notifyOfSuspensions(mail, deps), notifyOfSuspensions(mail, deps)]);
  const suspended = { at: time, reason: "535 $where is wrong" };
  for (const accountId of [own.accountId, system?._id ?? ""]) {
    const integration = await store.integrations.upsertByName({
      ...{ accountId, name: "out", host: "127.0.0.1", port: 25, tls: "none", auth: null },
      senders: ["posthaste@operator.example"],
    });
    await store.integrations.suspend(integration, suspended);
    // Another mailer detects the same.
    await store.integrations.suspend(integration, suspended);
  }
  await look();
  const reports = await sentMails();
  assert.deepEqual(reports.map(({ kind, to }) => [kind, to]), [
    ["posthaste-suspended", "owner@own.example"],
  ]);
  const [{ id = 0 } = {}] = await store.integrations.list(own.accountId);
  assert.deepEqual(reports[0]?.variables, {
    ...{ account: "Own", integration: "out", reason: "535 $where is wrong." },
    link: `http://localhost:8081/a/${own.accountId}/integrations/${id}`,
  });
  assert.equal(log.filter(({ message }) => /Cannot notify by mail/.test(message)).length, 1);
  const [integration] = await store.integrations.list(own.accountId);
  assert.ok(integration);
  await store.integrations.suspend(integration, { ...suspended, at: new Date() });
  await store.integrations.pause(own.accountId, integration.id, { at: time, reason: "x" });
  await look();
  assert.equal(dispatched.length, 1);
});

test("the mail of a suspension gives its reason as it is, and the page to go to", () => {
  const filled = { account: "Own", integration: "out", reason: "It timed out.", link: "http://x" };
  const text = Object.entries(filled).reduce(
    (mail, [name, value]) => mail.replaceAll(`{{ ${name} }}`, value),
    SYSTEM_TEMPLATES.suspended.text,
  );
  assert.equal(
    text,
    "Nothing is sent through the integration “out” of the account “Own”. It timed out.\n\n" +
      "Its messages wait. To resume sending, correct the settings:\nhttp://x\n",
  );
});

/** Returns what the check of suspensions needs besides the store. */
function depsOf(): Pick<DashboardDeps, "bus" | "logger"> {
  const { log } = dashboard;
  const write = (level: string) => (message: string, fields?: unknown) =>
    void log.push({ level, message, fields });
  const logger = {
    ...{ debug: write("debug"), info: write("info") },
    ...{ warn: write("warn"), error: write("error") },
  };
  return { bus, logger };
}

test("every owner with a verified address is notified that an integration points elsewhere", async () => {
  const { own, store } = dashboard;
  const { accountId } = own;
  const second = await store.people.create({
    ...{ email: "second@own.example", name: "Second", passwordHash: null, emailProvenAt: time },
  });
  const third = await store.people.create({
    ...{ email: "third@own.example", name: "Third", passwordHash: null },
  });
  for (const { _id: userId } of [second, third]) {
    await store.people.setMember({ accountId, userId, role: "owner" });
  }
  const input = {
    ...{ name: "Out", host: "mx.example", port: 587, tls: "starttls", user: null },
    ...{ authMethod: null, senders: ["a@own.example"], maxConnections: 5, maxPerMinute: null },
    ...{ allowInvalidCertificate: false, ca: null, retryForMs: 172_800_000, whenUnknown: "retry" },
  };
  assert.equal((await own.editor.post("/api/integrations", input)).status, 200);
  assert.deepEqual(dispatched, []);
  const moved = { ...input, host: "other.example", revision: 1 };
  assert.equal((await own.owner.put("/api/integrations/1", moved)).status, 200);
  const reports = await Promise.all(dispatched.map(async (id) => await store.sends.load(id)));
  const [first] = reports.map((send) => send?.request.to[0]);
  assert.deepEqual(reports.map((send) => send?.request.to[0]?.email).toSorted(), [
    ...["owner@own.example", "second@own.example"],
  ]);
  assert.deepEqual(first?.variables, {
    ...{ who: "Own owner", account: "Own", integration: "Out" },
    ...{ before: "mx.example:587", after: "other.example:587" },
  });
});

test("without a system account no mail is sent, and the inviter sees the link", async () => {
  await using without = await openTestDashboard();
  const { own, signedOut, store } = without;
  assert.equal((await signedOut.get("/api/sign-in")).body.sendsMail, false);
  const { body } = await own.owner.post("/api/invitations", { email: VICTIM, role: "viewer" });
  assert.match(body.link, /\/invitation\//);
  await store.people.update(own.viewer.user._id, { emailProvenAt: null });
  assert.equal((await own.viewer.post("/api/you/proof")).body.code, "conflict");
});

test("a system account without an integration is reported in the log, and to the caller", async () => {
  const { store, own, log } = dashboard;
  const system = await store.accounts.find(SYSTEM);
  const [integration] = await store.integrations.list(system?._id ?? "");
  await store.integrations.archive(system?._id ?? "", integration?.id ?? 0, new Date());
  const { status } = await own.owner.post("/api/invitations", { email: VICTIM, role: "viewer" });
  assert.equal(status, 503);
  assert.ok(log.some(({ level, message }) => level === "error" && /system mail/.test(message)));
});

test("system mail stops at its hourly limit, reports that once, and continues in the next hour", async () => {
  const { store, log } = dashboard;
  time = new Date("2031-05-02T12:59:00Z");
  const deps = { store, now: () => time, ...depsOf() };
  const mail = openSystemMail({ account: SYSTEM, maxPerHour: 2 }, deps);
  const send = () =>
    mail.send("suspended", {
      to: VICTIM,
      variables: { account: "a", integration: "i", reason: "r", link: "l" },
    });
  await send();
  await send();
  for (let i = 0; i < 3; i++) await assert.rejects(send(), { code: "unavailable" });
  assert.equal(dispatched.length, 2);
  assert.equal(log.filter(({ message }) => /hourly limit is reached/.test(message)).length, 1);
  time = new Date("2031-05-02T13:00:00Z");
  await send();
  assert.equal(dispatched.length, 3);
});

test("owners are reminded once of a token that expires, in the last quarter of a short life", async () => {
  const { store, own } = dashboard;
  const deps = { store, now: () => time, ...depsOf() };
  const mail = openSystemMail({ account: SYSTEM }, deps);
  const day = 86_400_000;
  const make = (name: string, days: number | null) =>
    store.tokens.create({
      ...{ accountId: own.accountId, name, scopes: ["send"] },
      expiresAt: days === null ? null : new Date(Date.now() + days * day),
    });
  await make("long", 90);
  await make("short", 4);
  await make("for ever", null);
  const { record } = await make("revoked", 90);
  await store.tokens.revoke(own.accountId, record._id);
  const look = () => Promise.all([notifyOfExpiries(mail, deps), notifyOfExpiries(mail, deps)]);
  const reports = async () => (await sentMails()).map(({ kind, to }) => [kind, to]);
  time = new Date();
  await look();
  assert.deepEqual(await reports(), []);
  time = new Date(Date.now() + 3.1 * day);
  await look();
  await look();
  assert.deepEqual(await reports(), [["posthaste-expiring", "owner@own.example"]]);
  assert.match(JSON.stringify(await sentMails()), /short/);
});
