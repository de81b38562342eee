import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Role, User } from "@posthaste/contracts";
import { hashPassword, openStore } from "@posthaste/storage";
import { Secret, TOTP } from "otpauth";
import {
  openTestDashboard,
  type Person,
  TEST_PASSWORD_COST,
  type TestDashboard,
} from "./_test_dashboard.ts";
import { SESSION_COOKIE } from "./guard.ts";
import { hashRecoveryCode, newRecoveryCodes } from "./recovery_codes.ts";
import { hashToken } from "./session.ts";
import { openOwnBox } from "./totp.ts";

const PASSWORD = "correct horse battery";
const PATH = "/api/you/second-factor";
/** The start of a time step. Not in the past: the database removes expired documents. */
const START = Math.ceil(Date.now() / 30_000) * 30_000;

let dashboard: TestDashboard;
let time: number;
beforeEach(async () => {
  time = START;
  dashboard = await openTestDashboard({
    now: () => new Date(time),
    options: { secondFactorKey: Buffer.alloc(32, 3) },
  });
});
afterEach(() => dashboard?.[Symbol.asyncDispose]());

const pass = (seconds: number) => void (time += seconds * 1000);

async function newPerson(role: Role = "owner"): Promise<Person> {
  const { store, own, signIn } = dashboard;
  const user = await store.people.create({
    ...{ email: "jane@shop.example", name: "Jane", emailProvenAt: new Date(time) },
    passwordHash: await hashPassword(PASSWORD, TEST_PASSWORD_COST),
  });
  await store.people.setMember({ accountId: own.accountId, userId: user._id, role });
  return await signIn(user, own.accountId);
}

function codeOf(secret: string, at = time): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at });
}

/** Sets up an authenticator app, and returns its secret and the recovery codes. */
async function addApp(jane: Person): Promise<{ secret: string; recoveryCodes: string[] }> {
  const { body: { secret, uri } } = await jane.post(`${PATH}/app`);
  assert.match(uri, /^otpauth:\/\/totp\/Posthaste:jane%40shop\.example\?issuer=Posthaste&secret=/);
  const added = await jane.put(`${PATH}/app`, { code: codeOf(secret) });
  assert.equal(added.status, 200, added.text);
  // The next code differs.
  pass(30);
  return { secret, ...added.body };
}

const login = () =>
  dashboard.signedOut.post("/api/sign-in/login", {
    ...{ email: "jane@shop.example", password: PASSWORD },
  });

/** Shows a password, and returns a browser that must show a second factor. */
async function halfIn() {
  const { status, body, cookies } = await login();
  assert.equal(status, 200);
  return { second: body.second, browser: dashboard.browser(cookies[SESSION_COOKIE]) };
}

test("a user with an authenticator app signs in by the password and its code, each code once", async () => {
  const jane = await newPerson();
  assert.deepEqual((await login()).body, { second: null });
  const { secret } = await addApp(jane);
  const { second, browser } = await halfIn();
  assert.deepEqual(second, { app: true, passkey: false });
  const code = codeOf(secret);
  // The password alone does not sign in.
  assert.equal((await browser.get("/api/session")).body.code, "signed_out");
  assert.equal((await browser.get("/api/members")).body.code, "signed_out");
  const prove = (given: string, who = browser) =>
    who.post("/api/sign-in/second", { by: "app", code: given });
  const wrong = await prove(code === "000000" ? "000001" : "000000");
  assert.deepEqual([wrong.status, wrong.body.code], [400, "wrong_code"]);
  const signedIn = await prove(`${code.slice(0, 3)} ${code.slice(3)}`);
  assert.equal(signedIn.status, 200);
  const whole = dashboard.browser(signedIn.cookies[SESSION_COOKIE]);
  assert.equal((await whole.get("/api/session")).body.user.hasSecondFactor, true);
  // The half session has ended, and the code is used up.
  assert.equal((await prove(code)).body.code, "signed_out");
  assert.equal((await prove(code, (await halfIn()).browser)).body.code, "wrong_code");
  pass(30);
  assert.equal((await prove(codeOf(secret), (await halfIn()).browser)).status, 200);
});

test("a code is accepted one step early or late, and no more; six wrong ones impose a wait", async () => {
  const jane = await newPerson();
  const { secret } = await addApp(jane);
  pass(600);
  for (const [offset, status] of [[-60, 400], [60, 400], [-30, 200], [30, 200]] as const) {
    const { browser } = await halfIn();
    const code = codeOf(secret, time + offset * 1000);
    const answer = await browser.post("/api/sign-in/second", { by: "app", code });
    assert.equal(answer.status, status, `${offset}`);
  }
  pass(120);
  const { browser } = await halfIn();
  const tried: number[] = [];
  for (let i = 0; i < 6; i++) {
    const wrong = { by: "recovery", code: `aaaaa-aaaa${i}` };
    tried.push((await browser.post("/api/sign-in/second", wrong)).status);
  }
  assert.deepEqual(tried, [400, 400, 400, 400, 400, 429]);
  // Another browser on another network: the limit protects the person.
  const right = { by: "app", code: codeOf(secret) };
  const { browser: other } = await halfIn();
  assert.equal((await other.post("/api/sign-in/second", right)).status, 429);
  pass(60);
  assert.equal(
    (await other.post("/api/sign-in/second", { ...right, code: codeOf(secret) })).status,
    200,
  );
});

test("a recovery code is accepted once, however it is typed, and new ones replace all", async () => {
  const jane = await newPerson();
  const { recoveryCodes } = await addApp(jane);
  assert.equal(new Set(recoveryCodes).size, 10);
  const redeem = async (code = "") => {
    const { browser } = await halfIn();
    return (await browser.post("/api/sign-in/second", { by: "recovery", code })).status;
  };
  const [first, second, third] = recoveryCodes;
  assert.equal(await redeem(first?.toUpperCase().replace("-", " ")), 200);
  assert.equal(await redeem(first), 400);
  assert.equal(await redeem(second), 200);
  const user = await dashboard.store.people.find(jane.user._id);
  assert.equal(user?.secondFactor.recoveryCodes.length, 8);
  assert.ok(!JSON.stringify(user).includes(third ?? ""), "a code is stored as it is");
  const { body } = await jane.post(`${PATH}/recovery-codes`);
  assert.equal(body.recoveryCodes.length, 10);
  assert.equal(await redeem(third), 400);
  assert.equal(await redeem(body.recoveryCodes[9]), 200);
});

test("a half session ends after ten minutes, and signs in nowhere else", async () => {
  const jane = await newPerson();
  const { secret } = await addApp(jane);
  const { browser } = await halfIn();
  const half = hashToken(browser.cookie);
  assert.equal((await jane.get("/api/you/sessions")).body.length, 1);
  assert.equal(await dashboard.store.sessions.find(half, new Date(time)), null);
  pass(601);
  const late = await browser.post("/api/sign-in/second", { by: "app", code: codeOf(secret) });
  assert.equal(late.body.code, "signed_out");
  const { signedOut } = dashboard;
  const none = await signedOut.post("/api/sign-in/second", { by: "app", code: codeOf(secret) });
  assert.equal(none.body.code, "signed_out");
  // A complete session is not a half session.
  const whole = await jane.post("/api/sign-in/second", { by: "app", code: codeOf(secret) });
  assert.equal(whole.body.code, "signed_out");
});

test("an invalid answer of a passkey, or another user's, signs nobody in", async () => {
  const jane = await newPerson();
  await dashboard.store.people.update(jane.user._id, {
    secondFactor: {
      ...{ totp: null, recoveryCodes: [] },
      passkeys: [{
        ...{ id: "a2V5", publicKey: "a2V5", counter: 0, transports: [], name: "Key" },
        createdAt: new Date(time),
      }],
    },
  });
  const { second, browser } = await halfIn();
  assert.deepEqual(second, { app: false, passkey: true });
  const { body: options } = await browser.post("/api/sign-in/second/passkey");
  assert.deepEqual(options.allowCredentials.map(({ id }: { id: string }) => id), ["a2V5"]);
  assert.equal(options.rpId, "localhost");
  const clientData = Buffer.from(JSON.stringify({
    ...{ type: "webauthn.get", challenge: options.challenge, origin: "http://localhost:8081" },
  }));
  for (const id of ["a2V5", "b3RoZXI"]) {
    const response = {
      ...{ id, rawId: id, type: "public-key", clientExtensionResults: {} },
      response: {
        clientDataJSON: clientData.toString("base64url"),
        authenticatorData: Buffer.alloc(37).toString("base64url"),
        signature: "AAAA",
      },
    };
    const { status, body } = await browser.post("/api/sign-in/second", {
      ...{ by: "passkey", response },
    });
    assert.deepEqual([status, body.code], [400, "wrong_code"]);
  }
});

test("adding a second factor signs other browsers out, and is recorded in each account", async () => {
  const jane = await newPerson();
  const elsewhere = await dashboard.signIn(jane.user, dashboard.own.accountId);
  await addApp(jane);
  assert.equal((await elsewhere.get("/api/session")).body.code, "signed_out");
  assert.equal((await jane.delete(`${PATH}/app`)).status, 200);
  const { lines } = (await dashboard.own.owner.get("/api/audit")).body;
  assert.deepEqual(lines.slice(0, 2).map(({ action }: { action: string }) => action), [
    ...["second_factor.removed", "second_factor.added"],
  ]);
  // Recovery codes alone do not count.
  const user = await dashboard.store.people.find(jane.user._id);
  assert.deepEqual(user?.secondFactor.recoveryCodes, []);
  assert.deepEqual((await login()).body, { second: null });
});

/** Returns how many of the answers' sessions show their person. */
async function openSessions(answers: Awaited<ReturnType<typeof login>>[]): Promise<number> {
  const all = await Promise.all(
    answers.map(({ cookies }) => dashboard.browser(cookies[SESSION_COOKIE]).get("/api/session")),
  );
  return all.filter(({ status }) => status === 200).length;
}

/** Makes requests one after the other, each without waiting for the one before. */
function inQuickSuccession<T>(count: number, request: (n: number) => Promise<T>): Promise<T[]> {
  return Promise.all(
    Array.from({ length: count }, (_, n) => delay(3 * n).then(() => request(n))),
  );
}

test("no session outlasts a change of the password during its sign-in", async () => {
  for (let round = 0; round < 4; round++) {
    const jane = await newPerson();
    const changed = jane.put("/api/you/password", {
      ...{ current: PASSWORD, password: "another horse entirely" },
    });
    const answers = await inQuickSuccession(4, login);
    assert.equal((await changed).status, 200);
    assert.equal(await openSessions(answers), 0);
    await dashboard.store.people.remove(jane.user._id);
    pass(1800);
  }
});

test("no session without a second factor outlasts its addition during the sign-in", async () => {
  for (let round = 0; round < 4; round++) {
    const jane = await newPerson();
    const { body: { secret } } = await jane.post(`${PATH}/app`);
    const added = jane.put(`${PATH}/app`, { code: codeOf(secret) });
    const answers = await inQuickSuccession(6, login);
    assert.equal((await added).status, 200);
    assert.equal(await openSessions(answers), 0);
    await dashboard.store.people.remove(jane.user._id);
    pass(1800);
  }
});

test("a second factor completes no sign-in whose password was changed meanwhile", async () => {
  for (let round = 0; round < 4; round++) {
    const jane = await newPerson();
    const { recoveryCodes } = await addApp(jane);
    const halves = await Promise.all([halfIn(), halfIn(), halfIn(), halfIn()]);
    const changed = jane.put("/api/you/password", {
      ...{ current: PASSWORD, password: "another horse entirely" },
    });
    const answers = await inQuickSuccession(4, async (n) => {
      const proof = { by: "recovery", code: recoveryCodes[n] };
      return await halves[n]?.browser.post("/api/sign-in/second", proof) ?? await login();
    });
    assert.equal((await changed).status, 200);
    assert.equal(await openSessions(answers), 0);
    await dashboard.store.people.remove(jane.user._id);
    pass(1800);
  }
});

test("the secret of an app is sealed in the database, and opens for no other person", async () => {
  const jane = await newPerson();
  const { secret } = await addApp(jane);
  const user = await dashboard.store.people.find(jane.user._id) as User;
  assert.ok(!JSON.stringify(user).includes(secret));
  const box = openOwnBox(Buffer.alloc(32, 3));
  const sealed = user.secondFactor.totp?.secret ?? "";
  assert.equal(box.open(sealed, user._id), secret);
  assert.throws(() => box.open(sealed, "usr_other"));
  assert.throws(() => openOwnBox(Buffer.alloc(32, 4)).open(sealed, user._id));
});

test("under another key codes are wrong, and a recovery code still signs in", async () => {
  const jane = await newPerson();
  const { secret, recoveryCodes } = await addApp(jane);
  const user = await dashboard.store.people.find(jane.user._id);
  assert.ok(user?.secondFactor.totp);
  const sealed = openOwnBox(Buffer.alloc(32, 9)).seal(secret, user._id);
  const totp = { ...user.secondFactor.totp, secret: sealed };
  await dashboard.store.people.update(user._id, { secondFactor: { ...user.secondFactor, totp } });
  const { browser } = await halfIn();
  const prove = (by: string, code = "") => browser.post("/api/sign-in/second", { by, code });
  assert.equal((await prove("app", codeOf(secret))).body.code, "wrong_code");
  assert.equal((await prove("recovery", recoveryCodes[0])).status, 200);
});

test("an account that requires a second factor is closed to users with a password alone", async () => {
  const jane = await newPerson();
  const require = (required: boolean) => jane.put("/api/account/second-factor", { required });
  assert.equal((await require(true)).body.code, "conflict");
  await addApp(jane);
  const mate = await dashboard.store.people.create({
    ...{
      email: "joe@shop.example",
      name: "Joe",
      passwordHash: await hashPassword(PASSWORD, TEST_PASSWORD_COST),
    },
  });
  const { accountId } = dashboard.own;
  await dashboard.store.people.setMember({ accountId, userId: mate._id, role: "editor" });
  const joe = await dashboard.signIn(mate, accountId);
  assert.equal((await joe.get("/api/members")).status, 200);
  assert.equal((await require(true)).status, 200);
  for (const path of ["/api/members", "/api/templates/email", "/api/integrations"]) {
    const { status, body } = await joe.get(path);
    assert.deepEqual([status, body.code], [403, "second_factor_missing"], path);
  }
  assert.equal((await joe.get("/api/session")).body.needsSecondFactor, true);
  assert.equal((await jane.get("/api/members")).status, 200);
  // Users of a provider are asked there.
  assert.equal((await dashboard.own.viewer.get("/api/members")).status, 200);
  const { body: { secret } } = await joe.post(`${PATH}/app`);
  assert.equal((await joe.put(`${PATH}/app`, { code: codeOf(secret) })).status, 200);
  assert.equal((await joe.get("/api/members")).status, 200);
  assert.equal((await require(false)).status, 200);
});

test("sensitive actions require the password again after ten minutes", async () => {
  const jane = await newPerson();
  const token = { name: "Shop", scopes: ["send"], expiresAt: null };
  const sensitive: [method: "post" | "put" | "delete", path: string, body?: unknown][] = [
    ["post", "/api/tokens", token],
    ["put", `/api/members/${dashboard.own.viewer.user._id}`, { role: "owner" }],
    ["delete", `/api/members/${dashboard.own.viewer.user._id}`],
    ["post", "/api/invitations", { email: "new@shop.example", role: "owner" }],
    ["post", `${PATH}/app`],
    ["delete", `${PATH}/app`],
    ["post", `${PATH}/recovery-codes`],
    ["post", `${PATH}/passkeys/options`],
    ["put", "/api/account/second-factor", { required: false }],
  ];
  assert.equal((await jane.post("/api/tokens", token)).status, 200);
  pass(600);
  for (const [method, path, body] of sensitive) {
    const answer = await jane[method](path, body);
    assert.deepEqual([answer.status, answer.body.code], [403, "confirm_identity"], path);
  }
  assert.equal((await jane.get("/api/members")).status, 200);
  const wrong = await jane.post("/api/you/confirmation", { password: "wrong horse battery" });
  assert.deepEqual([wrong.status, wrong.body.code], [400, "wrong_login"]);
  assert.equal((await jane.post("/api/tokens", token)).body.code, "confirm_identity");
  assert.equal((await jane.post("/api/you/confirmation", { password: PASSWORD })).status, 200);
  assert.equal((await jane.post("/api/tokens", token)).status, 200);
  pass(599);
  assert.equal((await jane.post("/api/tokens", token)).status, 200);
  // A user without a password confirms at the provider.
  pass(600);
  const { owner } = dashboard.own;
  assert.equal((await owner.get("/api/session")).body.user.confirmBy, "provider");
  const elsewhere = await owner.post("/api/you/confirmation", {});
  assert.equal(elsewhere.body.code, "conflict");
  assert.equal((await owner.post("/api/tokens", token)).body.code, "confirm_identity");
});

test("a session ends thirty days after its start, regardless of its use", async () => {
  const jane = await newPerson();
  for (let day = 0; day < 29; day++) {
    pass(24 * 3600);
    assert.equal((await jane.get("/api/session")).status, 200, `day ${day}`);
  }
  pass(24 * 3600);
  assert.equal((await jane.get("/api/session")).body.code, "signed_out");
  // Another store simulates a process that stored a longer session before the limit was set.
  await using store = await openStore({ url: dashboard.mongoUrl });
  await store.sessions.touch(jane.sessionId, {
    ...{ lastSeenAt: new Date(time), expiresAt: new Date(time + 1e9) },
  });
  assert.equal((await jane.get("/api/session")).body.code, "signed_out");
});

test("newRecoveryCodes() generates ten different codes, without characters that look alike", () => {
  const codes = newRecoveryCodes();
  assert.equal(new Set(codes.map(hashRecoveryCode)).size, 10);
  for (const code of codes) assert.match(code, /^[a-hj-km-np-z2-9]{5}-[a-hj-km-np-z2-9]{5}$/);
});
