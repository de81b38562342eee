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
