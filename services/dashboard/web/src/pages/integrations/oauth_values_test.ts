import assert from "node:assert/strict";
import { test } from "node:test";
import { hasSecretFor, NEW_OAUTH, oauthInputOf, oauthValuesOf } from "./oauth_values.ts";

const STORED = [
  { kind: "oauthClientCredentials", tenant: "shop.example", clientId: "1" },
  {
    kind: "oauthRefreshToken",
    provider: "google",
    tenant: null,
    clientId: "2",
    hasClientSecret: true,
    hasRefreshToken: true,
    consent: null,
  },
  { kind: "googleServiceAccount", clientEmail: "robot@shop.example", keyId: "3" },
] as const;

test("oauthInputOf() sends back what is stored without a secret, so that the stored ones stay", () => {
  const [credentials, person, account] = STORED;
  assert.deepEqual(oauthInputOf(oauthValuesOf(credentials)), credentials);
  const { hasClientSecret: _, hasRefreshToken: __, consent: ___, ...sent } = person;
  assert.deepEqual(oauthInputOf(oauthValuesOf(person)), sent);
  assert.deepEqual(oauthInputOf(oauthValuesOf(account)), { kind: "googleServiceAccount" });
  assert.equal(oauthInputOf(oauthValuesOf(null)), null);
});

test("oauthInputOf() removes the secret of a client that has none, and the tenant of Google", () => {
  const values = { ...NEW_OAUTH, login: "oauthRefreshToken", tenant: "t", clientId: "c" } as const;
  const input = oauthInputOf({ ...values, clientSecret: "old", hasClientSecret: false });
  const expected = { kind: "oauthRefreshToken", provider: "microsoft", tenant: "t", clientId: "c" };
  assert.deepEqual(input, { ...expected, clientSecret: null });
  const google = oauthInputOf({ ...values, provider: "google", clientSecret: "new" });
  assert.deepEqual(google, {
    ...{ ...expected, provider: "google", tenant: null, clientSecret: "new" },
  });
});

test("hasSecretFor() knows the secret of the stored kind only", () => {
  for (const oauth of STORED) {
    const stored = { oauth, hasPassword: false };
    assert.equal(hasSecretFor({ login: oauth.kind }, stored), true);
    assert.equal(hasSecretFor({ login: "password" }, stored), false);
  }
  const byPassword = { oauth: null, hasPassword: true };
  assert.equal(hasSecretFor({ login: "password" }, byPassword), true);
  assert.equal(hasSecretFor({ login: "googleServiceAccount" }, byPassword), false);
});
