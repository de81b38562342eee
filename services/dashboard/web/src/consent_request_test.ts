import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { consentGrantSchema } from "@posthaste/contracts";
import { authorizeUrlOf, startConsent, takeReturned } from "./consent_request.ts";

const CLIENT = {
  provider: "microsoft",
  tenant: "shop.example",
  clientId: "c1",
  user: "a@b.c",
} as const;
const IDS = { accountId: "acc", userId: "usr", integrationId: 7 };
const ORIGIN = "https://dash.example";

function slotOf() {
  const values = new Map<string, string>();
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  };
}

async function started(slot = slotOf()) {
  const url = new URL(await startConsent(CLIENT, { ...IDS, origin: ORIGIN, slot, nowMs: 0 }));
  return { slot, url, state: url.searchParams.get("state") ?? "" };
}

test("startConsent() asks the provider for a code with state and PKCE, and keeps both in the tab", async () => {
  const { slot, url, state } = await started();
  assert.equal(
    url.origin + url.pathname,
    "https://login.microsoftonline.com/shop.example/oauth2/v2.0/authorize",
  );
  const { searchParams: asked } = url;
  assert.equal(asked.get("scope"), "https://outlook.office.com/SMTP.Send offline_access");
  assert.equal(asked.get("redirect_uri"), "https://dash.example/oauth/callback");
  assert.equal(asked.get("code_challenge_method"), "S256");
  assert.equal(asked.get("login_hint"), "a@b.c");
  assert.match(state, /^[\w-]{43}$/);
  const returned = takeReturned(`?code=4/x&state=${state}`, { slot, nowMs: 1 });
  assert.ok(returned.kind === "granted");
  const { code, pending: { codeVerifier, redirectUri, ...pending } } = returned;
  const challenge = createHash("sha256").update(codeVerifier).digest("base64url");
  assert.equal(asked.get("code_challenge"), challenge);
  assert.deepEqual(pending, { ...IDS, state, provider: "microsoft", startedAtMs: 0 });
  assert.ok(consentGrantSchema.safeParse({ code, codeVerifier, redirectUri }).success);
});

test("startConsent() never repeats a state", async () => {
  const [one, two] = [await started(), await started()];
  assert.notEqual(one.state, two.state);
});

test("authorizeUrlOf() goes to no other host, whatever the tenant is", () => {
  const options = { redirectUri: ORIGIN, state: "s", challenge: "c" };
  for (const tenant of ["../..", "@evil.example", "x?y", "//evil.example"]) {
    const { host } = new URL(authorizeUrlOf({ ...CLIENT, tenant }, options));
    assert.equal(host, "login.microsoftonline.com");
  }
  const google = new URL(authorizeUrlOf({ ...CLIENT, provider: "google", tenant: null }, options));
  assert.equal(google.searchParams.get("access_type"), "offline");
});

test("takeReturned() takes a redirect once, and none of another tab, state or time", async () => {
  const { slot, state } = await started();
  assert.equal(takeReturned(`?code=x&state=${state}`, { slot, nowMs: 1 }).kind, "granted");
  assert.equal(takeReturned(`?code=x&state=${state}`, { slot, nowMs: 1 }).kind, "unknown");
  assert.equal(takeReturned("?code=x", { slot, nowMs: 1 }).kind, "unknown");
  for (const search of ["?code=x&state=other", "?code=x", "?error=access_denied&state=other"]) {
    const other = await started();
    assert.deepEqual(takeReturned(search, { slot: other.slot, nowMs: 1 }), { kind: "unknown" });
    const late = takeReturned(`?code=x&state=${other.state}`, { slot: other.slot, nowMs: 1 });
    assert.equal(late.kind, "unknown", "a wrong state ends the consent");
  }
  const old = await started();
  const late = takeReturned(`?code=x&state=${old.state}`, { slot: old.slot, nowMs: 3_600_001 });
  assert.equal(late.kind, "unknown");
});

test("takeReturned() says in words why the provider gave no code, and shortens its own", async () => {
  const cases: [string, RegExp][] = [
    [
      "error=access_denied&error_description=AADSTS65004%3A+Declined",
      /^The consent was refused \(access_denied: AADSTS65004: Declined\)$/,
    ],
    [`error=x&error_description=${"y".repeat(5000)}`, /^The provider gave no code \(x: y{297}…\)$/],
    ["error=constructor", /^The provider gave no code \(constructor\)$/],
    ["error=a%00%E2%80%AEb", /\(a b\)$/],
    ["", /^The provider gave no code$/],
  ];
  for (const [search, words] of cases) {
    const { slot, state } = await started();
    const returned = takeReturned(`?state=${state}&${search}`, { slot, nowMs: 1 });
    assert.ok(returned.kind === "refused");
    assert.match(returned.words, words);
  }
});
