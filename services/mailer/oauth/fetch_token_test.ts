import assert from "node:assert/strict";
import { createHash, generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { largeRsaKey, type OauthFault, openFaultyOauth } from "@posthaste/kit";
import { openGuardedResolver, readNetworks } from "@posthaste/egress";
import { CLIENT, clientOf, USER } from "./_test_tokens.ts";
import { exchangeCode, fetchToken } from "./fetch_token.ts";
import { OauthFailure } from "./oauth_failure.ts";
import type { OpenedLogin } from "./opened_login.ts";

const BY_APP: OpenedLogin = {
  ...{ kind: "oauthClientCredentials", user: USER, tenant: "example.com" },
  ...{ clientId: CLIENT.id, clientSecret: CLIENT.secret },
};
type OfPerson = Extract<OpenedLogin, { kind: "oauthRefreshToken" }>;
const AT_MICROSOFT: OfPerson = {
  ...{ kind: "oauthRefreshToken", provider: "microsoft", tenant: "example.com", user: USER },
  ...{ clientId: CLIENT.id, clientSecret: CLIENT.secret, refreshToken: "canary-rt" },
};
const AT_GOOGLE: OfPerson = { ...AT_MICROSOFT, provider: "google", tenant: null };
const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const BY_SERVICE: OpenedLogin = {
  ...{ kind: "googleServiceAccount", user: USER, clientEmail: "mail@p.iam.gserviceaccount.com" },
  ...{ keyId: "4711", privateKey: String(privateKey.export({ type: "pkcs8", format: "pem" })) },
};
const SERVICE = { email: "mail@p.iam.gserviceaccount.com", keyId: "4711", publicKey };

/** Returns a check of a failure's words. */
function isFailure(isPermanent: boolean, reason: RegExp, remedy = /./) {
  return (error: unknown) => {
    assert.ok(error instanceof OauthFailure, String(error));
    assert.match(error.message, reason);
    assert.match(error.remedy, remedy);
    assert.doesNotMatch(error.sentence, /canary/);
    assert.equal(error.isPermanent, isPermanent, error.message);
    return true;
  };
}

test("fetchToken() gets a token for each kind of login", async () => {
  await using oauth = await openFaultyOauth({
    ...{ client: CLIENT, refreshToken: "canary-rt", serviceAccount: SERVICE, expiresInS: 1800 },
  });
  for (const login of [BY_APP, AT_MICROSOFT, AT_GOOGLE, BY_SERVICE]) {
    const { accessToken, expiresInMs, refreshToken } = await fetchToken(login, clientOf(oauth));
    assert.ok(oauth.isValid(accessToken));
    assert.deepEqual([expiresInMs, refreshToken], [1_800_000, undefined]);
  }
  const [, microsoft, google, service] = oauth.requests;
  assert.equal(microsoft?.path, "/example.com/oauth2/v2.0/token");
  assert.match(microsoft?.form["scope"] ?? "", /SMTP\.Send offline_access/);
  assert.deepEqual([google?.path, google?.form["scope"]], ["/token", undefined]);
  assert.deepEqual(Object.keys(service?.form ?? {}), ["grant_type", "assertion"]);
});

test("fetchToken() sends an assertion that the public key verifies, and no other", async () => {
  await using oauth = await openFaultyOauth({ serviceAccount: SERVICE });
  const other = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const forged = {
    ...BY_SERVICE,
    privateKey: String(other.export({ type: "pkcs8", format: "pem" })),
  } as OpenedLogin;
  await assert.rejects(
    fetchToken(forged, clientOf(oauth)),
    isFailure(true, /does not accept the key/, /create another key/),
  );
  const now = () => new Date(Date.now() - 2 * 3_600_000);
  await assert.rejects(
    fetchToken(BY_SERVICE, clientOf(oauth, { now })),
    isFailure(true, /clock of the mailer/),
  );
  const [, claims = ""] = oauth.requests[0]?.form["assertion"]?.split(".") ?? [];
  const { sub, scope, exp, iat } = JSON.parse(Buffer.from(claims, "base64url").toString());
  assert.deepEqual([sub, scope, exp - iat], [USER, "https://mail.google.com/", 3600]);
});

test("fetchToken() signs nothing by a key whose size would hold the mailer up", async () => {
  await using oauth = await openFaultyOauth({ serviceAccount: SERVICE });
  const large = { ...BY_SERVICE, privateKey: largeRsaKey(8192) } as OpenedLogin;
  await assert.rejects(fetchToken(large, clientOf(oauth)), isFailure(true, /key .* is too large/));
  assert.equal(oauth.requests.length, 0);
});

test("fetchToken() takes nothing but a token for one, and tries again later", async () => {
  await using oauth = await openFaultyOauth({ client: CLIENT });
  const elsewhere = { location: `${oauth.origin}/stolen` };
  const token = { access_token: "a", token_type: "Bearer", expires_in: 60 };
  const answer = (changes: object): OauthFault => ({
    ...{ do: "answer", status: 200, body: JSON.stringify({ ...token, ...changes }) },
  });
  const cases: [OauthFault, RegExp][] = [
    [{ do: "oversize" }, /answered more than a token/],
    [{ do: "answer", status: 200, body: "<html>" }, /is not an access token/],
    [{ do: "answer", status: 200, body: "null" }, /is not an access token/],
    [answer({ access_token: "a\r\nMAIL FROM:<x>" }), /is not an access token/],
    [answer({ access_token: "a\u0001auth=Bearer b" }), /is not an access token/],
    [answer({ access_token: "a".repeat(8_001) }), /is not an access token/],
    [answer({ token_type: "mac" }), /is not an access token/],
    [{ do: "answer", status: 302, body: "", headers: elsewhere }, /answered 302/],
    [{ do: "answer", status: 307, body: "", headers: elsewhere }, /answered 307/],
    [{ do: "answer", status: 404, body: "not found" }, /answered 404/],
    [{ do: "error", status: 500, error: "invalid_client" }, /answered 500/],
    [{ do: "error", status: 429, error: "invalid_grant" }, /answered 429/],
    [{ do: "error", status: 400, error: "temporarily_unavailable" }, /answered 400/],
    [{ do: "hang" }, /did not answer in time/],
    [{ do: "close" }, /cannot be reached/],
  ];
  for (const [fault, reason] of cases) {
    oauth.behave(() => fault);
    const fetching = fetchToken(BY_APP, clientOf(oauth, { timeoutMs: 500 }));
    await assert.rejects(fetching, isFailure(false, reason));
  }
  assert.equal(oauth.requests.length, cases.length, "no redirect was followed");
  oauth.behave(() => ({ do: "error", status: 503, error: "x", retryAfter: "86400" }));
  const late = await fetchToken(BY_APP, clientOf(oauth)).catch((error) => error);
  assert.equal(late.retryAfterMs, 300_000);
});

test("fetchToken() reaches no inside address, no server without TLS, and no unknown certificate", async () => {
  await using oauth = await openFaultyOauth({ client: CLIENT });
  const lookup = () => Promise.resolve(["127.0.0.1"]);
  const resolveHost = openGuardedResolver({ ports: [443], allowed: readNetworks([]), lookup });
  await assert.rejects(
    fetchToken(BY_APP, clientOf(oauth, { resolveHost })),
    isFailure(true, /not allowed here/, /EGRESS_ALLOW/),
  );
  await assert.rejects(
    fetchToken(BY_APP, clientOf(oauth, { ca: undefined })),
    isFailure(false, /certificate .* is not valid/),
  );
  let asked = 0;
  const plain = createServer((_request, response) => {
    asked++;
    response.end("{}");
  });
  await new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve));
  const { port } = plain.address() as AddressInfo;
  await assert.rejects(
    fetchToken(BY_APP, clientOf({ origin: `http://localhost:${port}` })),
    isFailure(true, /not reached by https/),
  );
  await assert.rejects(
    fetchToken(BY_APP, clientOf({ origin: `https://localhost:${port}` })),
    isFailure(false, /./),
  );
  plain.close();
  assert.deepEqual([asked, oauth.requests.length], [0, 0]);
});

test("exchangeCode() gets a refresh token for a code and its verifier, once", async () => {
  const codeVerifier = "v".repeat(43);
  const redirectUri = "https://dash.example/oauth";
  const challenge = createHash("sha256").update(codeVerifier).digest("base64url");
  await using oauth = await openFaultyOauth({
    ...{
      client: CLIENT,
      codes: { one: { challenge, redirectUri }, two: { challenge, redirectUri } },
    },
    scope: "https://outlook.office.com/SMTP.Send",
  });
  const client = clientOf(oauth);
  const code = { code: "one", codeVerifier, redirectUri };
  const { refreshToken } = await exchangeCode(AT_MICROSOFT, code, client);
  assert.equal(refreshToken, oauth.refreshToken);
  const used = isFailure(true, /has expired, or was used before/, /Give consent again/);
  await assert.rejects(exchangeCode(AT_MICROSOFT, code, client), used);
  const forged = { ...code, code: "two", codeVerifier: "w".repeat(43) };
  await assert.rejects(exchangeCode(AT_MICROSOFT, forged, client), used);
});

test("exchangeCode() refuses a consent without the permission to send mail", async () => {
  for (
    const [login, scope, isEnough] of [
      [AT_MICROSOFT, "https://outlook.office.com/SMTP.Send openid", true],
      [AT_MICROSOFT, "https://outlook.office.com/IMAP.AccessAsUser.All", false],
      [AT_GOOGLE, "openid https://mail.google.com/", true],
      [AT_GOOGLE, "openid https://mail.google.com.evil.example/", false],
    ] as const
  ) {
    const codeVerifier = "v".repeat(43);
    const challenge = createHash("sha256").update(codeVerifier).digest("base64url");
    const redirectUri = "https://dash.example/oauth";
    await using oauth = await openFaultyOauth({
      scope,
      codes: { one: { challenge, redirectUri } },
    });
    const exchange = exchangeCode(
      login,
      { code: "one", codeVerifier, redirectUri },
      clientOf(oauth),
    );
    if (isEnough) assert.ok((await exchange).refreshToken);
    else await assert.rejects(exchange, isFailure(true, /does not include the permission/));
  }
});
