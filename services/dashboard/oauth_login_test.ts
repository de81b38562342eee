import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { afterEach, beforeEach, test } from "node:test";
import type { EventData, Integration, SealedSecret } from "@posthaste/contracts";
import { largeRsaKey } from "@posthaste/kit";
import { bindLogin, openSecret, readMasterKeys } from "@posthaste/storage";
import { openTestDashboard, type TestDashboard } from "./_test_dashboard.ts";
import type { IntegrationInput, OauthInput } from "./interface/integrations.ts";

const KEYS = readMasterKeys(`test:${Buffer.alloc(32, 7).toString("base64")}`);
const PATH = "/api/integrations";
const SETTINGS = {
  ...{ name: "Main", host: "smtp.office365.com", port: 587, tls: "starttls", ca: null },
  ...{ allowInvalidCertificate: false, user: "shop@example.com", authMethod: null },
  ...{ senders: ["shop@example.com"], maxConnections: 5, maxPerMinute: null },
  ...{ retryForMs: 172_800_000, whenUnknown: "retry", fallbacks: [] },
} satisfies IntegrationInput;
const CLIENT = {
  tenant: "example.onmicrosoft.com",
  clientId: "6731de76-14a6-49ae-97bc-6eba6914391e",
};
const BY_CLIENT: OauthInput = {
  ...{ kind: "oauthClientCredentials", ...CLIENT, clientSecret: "canary-secret" },
};
const BY_PERSON: OauthInput = {
  ...{ kind: "oauthRefreshToken", provider: "microsoft", ...CLIENT },
  ...{ clientSecret: "canary-secret", refreshToken: "canary-token" },
};
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const PEM = String(privateKey.export({ type: "pkcs8", format: "pem" }));
const KEY = {
  ...{ type: "service_account", client_email: "mail@shop-1.iam.gserviceaccount.com" },
  ...{ private_key_id: "4711", private_key: PEM, token_uri: "https://evil.example/token" },
};
const BY_SERVICE: OauthInput = { kind: "googleServiceAccount", keyFile: JSON.stringify(KEY) };

let asked: EventData<"probe.requested">[];
let dashboard: TestDashboard;
beforeEach(async () => {
  asked = [];
  dashboard = await openTestDashboard({
    bus: {
      ask: ((_type: string, data: EventData<"probe.requested">) => {
        asked.push(data);
        return Promise.resolve({ ok: true, steps: [] });
      }) as never,
    },
  });
});
afterEach(() => dashboard[Symbol.asyncDispose]());

async function create(oauth: OauthInput, changes: Partial<IntegrationInput> = {}) {
  const input = { ...SETTINGS, oauth, ...changes };
  const { status, body, text } = await dashboard.own.editor.post(PATH, input);
  assert.equal(status, 200, text);
  return { view: body, text };
}

async function stored(id = 1): Promise<Integration> {
  const found = await dashboard.store.integrations.find(dashboard.own.accountId, id);
  assert.ok(found);
  return found;
}

type Secrets = Partial<Record<"clientSecret" | "refreshToken" | "privateKey", SealedSecret | null>>;

/** Returns the opened secrets of a login. */
function secretsOf(
  { _id: recordId, auth, accountId, host, port }: Pick<
    Integration,
    "_id" | "auth" | "accountId" | "host" | "port"
  >,
): Record<string, string> {
  const secrets: Secrets = auth?.kind === "password" || auth === null ? {} : auth;
  const opened: Record<string, string> = {};
  for (const name of ["clientSecret", "refreshToken", "privateKey"] as const) {
    const binding = bindLogin({ recordId, accountId, host, port }, `auth.${name}`);
    if (secrets[name]) opened[name] = openSecret(secrets[name], { ...binding, keys: KEYS });
  }
  return opened;
}

test("POST /api/integrations seals the secrets of each OAuth login, and returns none", async () => {
  const cases: [OauthInput, shown: object, sealed: Record<string, string>][] = [
    [BY_CLIENT, { kind: "oauthClientCredentials", ...CLIENT }, { clientSecret: "canary-secret" }],
    [BY_PERSON, {
      ...{ kind: "oauthRefreshToken", provider: "microsoft", ...CLIENT },
      ...{ hasClientSecret: true, hasRefreshToken: true, consent: null },
    }, { clientSecret: "canary-secret", refreshToken: "canary-token" }],
    [BY_SERVICE, {
      ...{ kind: "googleServiceAccount", clientEmail: KEY.client_email, keyId: "4711" },
    }, { privateKey: PEM }],
  ];
  for (const [index, [oauth, shown, sealed]] of cases.entries()) {
    const { view, text } = await create(oauth, { name: `Number ${index}` });
    assert.deepEqual([view.settings.oauth, view.hasPassword], [shown, false]);
    assert.deepEqual(secretsOf(await stored(view.id)), sealed);
    const listed = await dashboard.own.viewer.get(PATH);
    const lines = await dashboard.store.audit.list(dashboard.own.accountId, { limit: 9 });
    for (const seen of [text, listed.text, JSON.stringify(lines)]) {
      assert.doesNotMatch(seen, /canary|ciphertext|PRIVATE KEY|evil/);
    }
  }
});

test("POST /api/integrations names the field of each fault of an OAuth login", async () => {
  const weak = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey;
  const weakPem = String(weak.export({ type: "pkcs8", format: "pem" }));
  const ofKey = (pem: string) => ({
    kind: "googleServiceAccount",
    keyFile: JSON.stringify({ ...KEY, private_key: pem }),
  });
  const cases: [object, string][] = [
    [{ ...BY_CLIENT, tenant: "common" }, "oauth.tenant"],
    [{ ...BY_CLIENT, tenant: "a/../b" }, "oauth.tenant"],
    [{ ...BY_CLIENT, tenant: "..%2fb" }, "oauth.tenant"],
    [{ ...BY_CLIENT, clientId: "a b" }, "oauth.clientId"],
    [{ ...BY_CLIENT, clientSecret: undefined }, "oauth.clientSecret"],
    [{ ...BY_CLIENT, clientSecret: "a\u0001b" }, "oauth.clientSecret"],
    [{ ...BY_PERSON, provider: "google" }, "oauth.tenant"],
    [{ ...BY_PERSON, tenant: null }, "oauth.tenant"],
    [{ ...BY_PERSON, provider: "evil" }, "oauth.provider"],
    [{ kind: "googleServiceAccount" }, "oauth.keyFile"],
    [{ kind: "googleServiceAccount", keyFile: "{" }, "oauth.keyFile"],
    [ofKey(weakPem), "oauth.keyFile"],
    [ofKey(largeRsaKey(4104)), "oauth.keyFile"],
    [ofKey(largeRsaKey(24_000)), "oauth.keyFile"],
    [{ kind: "token" }, "oauth.kind"],
  ];
  for (const [oauth, path] of cases) {
    const { status, body } = await dashboard.own.editor.post(PATH, { ...SETTINGS, oauth });
    assert.deepEqual([status, body.issues?.[0].path], [400, path], JSON.stringify(body));
  }
});

test("PUT and probe use stored OAuth secrets with no other server, user or weaker protection", async () => {
  const keyless: OauthInput = { kind: "googleServiceAccount" };
  const { clientSecret: _, refreshToken: __, ...person } = BY_PERSON;
  const { clientSecret: ___, ...client } = BY_CLIENT;
  const moves: Partial<IntegrationInput>[] = [
    ...[{ host: "evil.example" }, { port: 2525 }, { tls: "none" as const }],
    ...[{ user: "other" }, { allowInvalidCertificate: true }],
  ];
  const logins = [[BY_CLIENT, client], [BY_PERSON, person], [BY_SERVICE, keyless]] as const;
  for (const [index, [full, without]] of logins.entries()) {
    const { view: { id } } = await create(full, { name: `Number ${index}` });
    const { owner } = dashboard.own;
    for (const move of moves) {
      for (const oauth of [without, undefined]) {
        const input = { ...SETTINGS, ...move, name: `Number ${index}`, oauth };
        const answers = [
          await owner.put(`${PATH}/${id}`, { ...input, revision: 1 }),
          await owner.post(`${PATH}/probe`, { id, settings: input }),
        ];
        for (const { status, body } of answers) {
          assert.deepEqual([status, /^oauth\./.test(body.issues?.[0].path)], [400, true]);
        }
      }
    }
  }
  assert.deepEqual(asked, []);
});

test("PUT /api/integrations/:id keeps secrets, and a refresh token only for its client and server", async () => {
  await create(BY_PERSON);
  const { owner } = dashboard.own;
  const { clientSecret: _, refreshToken: __, ...person } = BY_PERSON;
  const put = async (changes: Partial<IntegrationInput>) => {
    const { revision } = await stored();
    const answer = await owner.put(`${PATH}/1`, { ...SETTINGS, ...changes, revision });
    assert.equal(answer.status, 200, answer.text);
    return secretsOf(await stored());
  };
  const all = { clientSecret: "canary-secret", refreshToken: "canary-token" };
  assert.deepEqual(await put({ name: "Renamed", oauth: person }), all);
  assert.deepEqual(await put({ name: "From an older page" }), all);
  const moved = { ...person, clientSecret: "new" };
  assert.deepEqual(await put({ tls: "implicit", oauth: moved }), { clientSecret: "new" });
  assert.deepEqual(await put({ tls: "implicit", oauth: BY_PERSON }), all);
  const other = { ...person, tenant: "other.example" };
  assert.deepEqual(await put({ tls: "implicit", oauth: other }), { clientSecret: "canary-secret" });
  const byPassword = await put({ tls: "implicit", oauth: null, password: "a password" });
  assert.deepEqual([byPassword, (await stored()).auth?.kind], [{}, "password"]);
});

test("PUT /api/integrations/:id gives no provider the stored client secret of another one", async () => {
  await create(BY_PERSON);
  const { clientSecret: _, refreshToken: __, ...person } = BY_PERSON;
  const oauth = { ...person, provider: "google", tenant: null };
  const { revision } = await stored();
  const { status, body } = await dashboard.own.owner.put(`${PATH}/1`, {
    ...{ ...SETTINGS, oauth, revision },
  });
  assert.deepEqual([status, body.issues?.[0]?.path], [400, "oauth.clientSecret"]);
});

test("POST /api/integrations/probe seals OAuth secrets for the test, or uses the stored ones", async () => {
  await create(BY_CLIENT);
  const { editor, accountId } = dashboard.own;
  const { clientSecret: _, ...client } = BY_CLIENT;
  await editor.post(`${PATH}/probe`, { id: 1, settings: { ...SETTINGS, oauth: client } });
  const settings = { ...SETTINGS, oauth: { ...BY_CLIENT, clientSecret: "unsaved" } };
  await editor.post(`${PATH}/probe`, { settings });
  const opened = asked.map(({ settings }) =>
    secretsOf({ ...settings, accountId, _id: settings.recordId }).clientSecret
  );
  assert.deepEqual(opened, ["canary-secret", "unsaved"]);
  const none = await editor.post(`${PATH}/probe`, { settings: { ...SETTINGS, oauth: client } });
  assert.deepEqual([none.status, none.body.issues[0].path], [400, "oauth.clientSecret"]);
});

test("PUT /api/integrations/:id takes the settings of an answer back, and keeps the secrets", async () => {
  for (const oauth of [BY_CLIENT, { ...BY_PERSON, refreshToken: "rt" }, BY_SERVICE]) {
    const { kind: name } = oauth;
    const { view: { id, revision, settings } } = await create(oauth as OauthInput, { name });
    const before = await stored(id);
    const body = { ...settings, name: `${name} 2`, revision };
    const { status, text, body: after } = await dashboard.own.editor.put(`${PATH}/${id}`, body);
    assert.equal(status, 200, text);
    assert.deepEqual(after.settings, { ...settings, name: `${name} 2` });
    assert.deepEqual((await stored(id)).auth, before.auth);
    const misspelt = {
      ...body,
      revision: after.revision,
      oauth: { ...settings.oauth, secret: "x" },
    };
    const refused = await dashboard.own.editor.put(`${PATH}/${id}`, misspelt);
    assert.deepEqual([refused.status, refused.body.issues?.[0]?.path], [400, "oauth"]);
  }
});
