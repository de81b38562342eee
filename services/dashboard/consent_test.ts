import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { CONSENT_GRANT, type ConsentReply, type EventData } from "@posthaste/contracts";
import {
  bindLogin,
  openSecret,
  readMasterKeys,
  sealingKeyOf,
  sealSecret,
} from "@posthaste/storage";
import { openTestDashboard, type TestDashboard } from "./_test_dashboard.ts";
import type { IntegrationInput } from "./interface/integrations.ts";

const KEYS = readMasterKeys(`test:${Buffer.alloc(32, 7).toString("base64")}`);
const PATH = "/api/integrations";
const SERVER = { host: "smtp.gmail.com", port: 587 };
const SETTINGS: IntegrationInput = {
  ...{ name: "Main", ...SERVER, tls: "starttls", ca: null, allowInvalidCertificate: false },
  ...{ user: "shop@example.com", authMethod: null, senders: ["shop@example.com"] },
  ...{ maxConnections: 5, maxPerMinute: null, retryForMs: 172_800_000, whenUnknown: "retry" },
  oauth: {
    ...{ kind: "oauthRefreshToken", provider: "google", tenant: null },
    ...{ clientId: "1.apps.googleusercontent.com", clientSecret: "canary-secret" },
  },
};
const GIVEN = {
  ...{ code: "4/canary-code", codeVerifier: "v".repeat(43) },
  redirectUri: "https://dash.example/consent",
};

let asked: EventData<"consent.requested">[];
let answer: () => Promise<ConsentReply | undefined>;
let dashboard: TestDashboard;
beforeEach(async () => {
  asked = [];
  answer = () => Promise.resolve({ ok: true, refreshToken: sealed(), revision: 1 });
  dashboard = await openTestDashboard({
    bus: {
      ask: ((_type: string, data: EventData<"consent.requested">) => {
        asked.push(data);
        return answer();
      }) as never,
    },
  });
  const { status, text } = await dashboard.own.editor.post(PATH, SETTINGS);
  assert.equal(status, 200, text);
});
afterEach(() => dashboard[Symbol.asyncDispose]());

function sealed() {
  const { accountId } = dashboard.own;
  const bound = { accountId, recordId: `${accountId}/1`, ...SERVER };
  const binding = bindLogin(bound, "auth.refreshToken");
  return sealSecret("canary-token", { ...binding, key: sealingKeyOf(KEYS) });
}

async function stored() {
  const found = await dashboard.store.integrations.find(dashboard.own.accountId, 1);
  assert.ok(found?.auth?.kind === "oauthRefreshToken");
  return { ...found, auth: found.auth };
}

test("POST …/consent seals the code for the mailer, and stores the refresh token that it answers", async () => {
  const { editor, accountId } = dashboard.own;
  const { store } = dashboard;
  const suspended = {
    at: new Date(),
    reason: "Nobody has consented yet",
    kind: "refused" as const,
  };
  await store.integrations.suspend(await stored(), suspended);
  const { status, body, text } = await editor.post(`${PATH}/1/consent`, GIVEN);
  assert.equal(status, 200, text);
  assert.equal(body.settings.oauth.hasRefreshToken, true);
  const { by, at } = body.settings.oauth.consent;
  assert.equal(by, (await editor.get("/api/session")).body.user.name);
  assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000);
  assert.equal(body.state, "ready", "mail goes on");
  assert.doesNotMatch(text, /canary|ciphertext/);
  const [request] = asked;
  assert.ok(request && !JSON.stringify(request).includes("canary"));
  const binding = { accountId, recordId: `${accountId}/1`, field: CONSENT_GRANT, keys: KEYS };
  assert.deepEqual(JSON.parse(openSecret(request.grant, binding)), GIVEN);
  assert.ok((await stored()).auth.refreshToken);
  const { oauth: _, ...rest } = SETTINGS;
  const renamed = { ...rest, name: "Renamed", revision: body.revision };
  const kept = await editor.put(`${PATH}/1`, renamed);
  assert.equal(kept.body.settings.oauth.consent.by, by, "another name needs no other consent");
  const moved = {
    ...renamed,
    revision: kept.body.revision,
    oauth: { ...SETTINGS.oauth, clientId: "2" },
  };
  const lost = await editor.put(`${PATH}/1`, moved);
  assert.deepEqual(
    [lost.body.settings.oauth.hasRefreshToken, lost.body.settings.oauth.consent],
    [false, null],
  );
  const [line] = (await store.audit.list(accountId, { limit: 9 }))
    .filter(({ action }) => action === "integration.connected");
  assert.ok(line);
});

test("POST …/consent reports why there is no token, and changes nothing", async () => {
  const { editor } = dashboard.own;
  const cases: [typeof answer, number, RegExp][] = [
    [
      () => Promise.resolve({ ok: false, reason: "The sign-in has expired", remedy: "Again" }),
      400,
      /The sign-in has expired\. Again/,
    ],
    [() => Promise.resolve(undefined), 504, /does not answer/],
    [() => Promise.reject(new Error("no broker")), 503, /Try again soon/],
    [
      () => Promise.resolve({ ok: true, refreshToken: sealed(), revision: 2 }),
      409,
      /changed meanwhile/,
    ],
  ];
  for (const [next, expected, words] of cases) {
    answer = next;
    const { status, body } = await editor.post(`${PATH}/1/consent`, GIVEN);
    assert.equal(status, expected, JSON.stringify(body));
    assert.match(body.error, words);
  }
  assert.equal((await stored()).auth.refreshToken, null);
});

test("POST …/consent refuses viewers, other accounts, other logins and odd codes", async () => {
  const { own, foreign } = dashboard;
  assert.equal((await own.viewer.post(`${PATH}/1/consent`, GIVEN)).status, 403);
  assert.equal((await foreign.owner.post(`${PATH}/1/consent`, GIVEN)).status, 404);
  const odd = [{ code: "a b" }, { code: "" }, { codeVerifier: "short" }, {
    redirectUri: "javascript:alert(1)",
  }];
  for (const change of odd) {
    const { status } = await own.editor.post(`${PATH}/1/consent`, { ...GIVEN, ...change });
    assert.equal(status, 400, JSON.stringify(change));
  }
  const byPassword = { ...SETTINGS, name: "Other", oauth: null, password: "a password" };
  assert.equal((await own.editor.post(PATH, byPassword)).status, 200);
  assert.equal((await own.editor.post(`${PATH}/2/consent`, GIVEN)).status, 400);
  assert.deepEqual(asked, []);
});
