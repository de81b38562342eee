import assert from "node:assert/strict";
import { test } from "node:test";
import { remedyOfRefusedToken } from "./refused_token.ts";

test("remedyOfRefusedToken() names what to do at the provider that issued the token", () => {
  const byPerson = { kind: "oauthRefreshToken" } as const;
  const disabled = { enhanced: "5.7.139" };
  const cases = [
    [{ ...byPerson, provider: "google" }, /whole address of the account that consented/],
    [{ ...byPerson, provider: "google", ...disabled }, /whole address of the account/],
    [{ kind: "googleServiceAccount", provider: "google" }, /domain-wide delegation/],
    [{ ...byPerson, provider: "microsoft" }, /SMTP\.Send$/],
    [{ ...byPerson, provider: "microsoft", ...disabled }, /Authenticated SMTP is turned off/],
    [{ kind: "oauthClientCredentials", provider: "microsoft" }, /SMTP\.SendAsApp/],
    [
      { ...byPerson, provider: "google", tokenStatus: "insufficient_scope" },
      /lacks the permission/,
    ],
  ] as const;
  for (const [login, remedy] of cases) assert.match(remedyOfRefusedToken(login), remedy);
});
