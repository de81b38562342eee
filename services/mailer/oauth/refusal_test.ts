import assert from "node:assert/strict";
import { test } from "node:test";
import { refusalOf } from "./refusal.ts";

type Kind = Parameters<typeof refusalOf>[1]["kind"];

function microsoft(code: string, kind: Kind = "oauthClientCredentials", error = "invalid_client") {
  const description = `AADSTS${code}: Something about 'shop@example.com'. Trace ID: 1`;
  return refusalOf({ error, description }, { provider: "microsoft", kind });
}

function google(error: string, description: string, kind: Kind) {
  return refusalOf({ error, description }, { provider: "google", kind });
}

test("refusalOf() says in words what is wrong at Microsoft, and what to do", () => {
  const cases: [string, Kind, RegExp, RegExp][] = [
    ["90002", "oauthClientCredentials", /tenant is wrong/, /overview page/],
    [
      "700016",
      "oauthClientCredentials",
      /does not exist in this tenant/,
      /client id and the tenant/,
    ],
    ["7000215", "oauthClientCredentials", /not accept the client secret/, /not its id/],
    ["7000222", "oauthClientCredentials", /secret has expired/, /Create another/],
    ["65001", "oauthClientCredentials", /Consent is missing/, /SMTP\.SendAsApp/],
    ["65001", "oauthRefreshToken", /Consent is missing/, /SMTP\.Send.*give consent again/],
    ["70011", "code", /may not ask for the permission/, /delegated permission SMTP\.Send/],
    ["70001", "oauthClientCredentials", /is disabled/, /enable it/],
    ["70002", "code", /not accept the client secret/, /not its id/],
    ["65004", "code", /consent was refused/, /and accept/],
    ["50020", "code", /not exist in this tenant/, /Check the user/],
    ["700082", "oauthRefreshToken", /expired, or was revoked/, /Give consent again/],
    ["50076", "oauthRefreshToken", /another step/, /administrator must exempt/],
    ["50011", "code", /does not know the address/, /redirect URI/],
    ["500011", "oauthClientCredentials", /no Exchange Online/, /Check the tenant/],
    ["500014", "oauthRefreshToken", /Exchange Online is disabled/, /subscription/],
    ["700011", "code", /does not exist in this tenant/, /client id and the tenant/],
    ["50194", "code", /tenant is wrong/, /directory \(tenant\) id/],
    ["90038", "oauthClientCredentials", /national cloud/, /OAUTH_ENDPOINTS/],
    ["700025", "code", /public client/, /platform Web/],
    ["9002327", "code", /platform Single-page application/, /platform Web/],
    ["90095", "code", /Consent is missing/, /administrator/],
    ["70008", "oauthRefreshToken", /consent has expired/, /Give consent again/],
    ["70008", "code", /sign-in has expired/, /Give consent again/],
    ["70000", "code", /sign-in has expired/, /Give consent again/],
    ["501481", "code", /another consent/, /Give consent again/],
    ["50105", "oauthRefreshToken", /not assigned/, /Enterprise applications/],
    ["53003", "oauthRefreshToken", /Conditional Access/, /administrator.*give consent again/],
    ["530035", "oauthRefreshToken", /Conditional Access/, /administrator.*give consent again/],
    ["53003", "oauthClientCredentials", /Conditional Access/, /administrator.*application$/],
  ];
  for (const [code, kind, reason, remedy] of cases) {
    const refusal = microsoft(code, kind);
    assert.ok(refusal?.isPermanent, code);
    assert.match(refusal.message, reason);
    assert.match(refusal.message, new RegExp(`\\(Microsoft: AADSTS${code}\\)$`));
    assert.match(refusal.remedy, remedy);
    assert.doesNotMatch(refusal.sentence, /shop@example\.com/, "the provider's own words stay out");
  }
});

test("refusalOf() leaves faults of Microsoft that pass to a later request", () => {
  for (const code of ["50033", "50196", "90006", "90012", "90024", "90033", "90055", "90090"]) {
    for (const error of ["invalid_grant", "invalid_request"]) {
      assert.equal(microsoft(code, "oauthRefreshToken", error), undefined, code);
    }
  }
});

test("refusalOf() says in words what is wrong at Google, and what to do", () => {
  const cases: [string, string, Kind, RegExp, RegExp][] = [
    [
      "invalid_client",
      "The OAuth client was not found.",
      "oauthRefreshToken",
      /client id/,
      /secret/,
    ],
    ...[
      ["invalid_grant", "Token has been expired or revoked.", "oauthRefreshToken", ...[
        /expired, or was revoked/,
        /Give consent again.*7 days/,
      ]],
      ["invalid_grant", "Invalid JWT Signature.", "googleServiceAccount", ...[
        /does not accept the key/,
        /another key/,
      ]],
      ["invalid_grant", "Invalid JWT: Token must be a short-lived token (60 minutes)", ...[
        "googleServiceAccount",
        /clock/,
        /operator/,
      ]],
      [
        "invalid_grant",
        "Invalid email or User ID",
        "googleServiceAccount",
        /not know the user/,
        /./,
      ],
      ["unauthorized_client", "Client is unauthorized to retrieve access tokens", ...[
        "googleServiceAccount",
        /may not act for this user/,
        /Domain-wide delegation/,
      ]],
    ] as [string, string, Kind, RegExp, RegExp][],
  ];
  for (const [error, description, kind, reason, remedy] of cases) {
    const refusal = google(error, description, kind);
    assert.match(refusal?.message ?? "", reason);
    assert.match(refusal?.remedy ?? "", remedy);
  }
});

test("refusalOf() falls back to the error, and knows no others", () => {
  assert.match(microsoft("1234567")?.message ?? "", /client id or its secret.*AADSTS1234567/);
  assert.equal(microsoft("1234567", "code", "temporarily_unavailable"), undefined);
  assert.equal(google("constructor", "", "oauthRefreshToken"), undefined);
});
