import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type IntegrationLogin,
  integrationLoginSchema,
  type ProbeReply,
  type ProbeSettings,
  type SealedSecret,
} from "@posthaste/contracts";
import {
  type FaultySmtpOptions,
  type OauthFault,
  openFaultyOauth,
  openFaultySmtp,
} from "@posthaste/kit";
import { bindLogin, openSecret, sealingKeyOf, sealSecret } from "@posthaste/storage";
import { probeStep } from "../probe_step.ts";
import {
  BY_CLIENT,
  byPerson,
  CLIENT,
  clientOf,
  KEYS,
  resolveLocal,
  type SealedFor,
  USER,
} from "./_test_tokens.ts";

type Replaced = { id: number; from: SealedSecret; to: SealedSecret };

interface Tried {
  login?: SealedFor;
  /** `localhost` by default. */
  host?: string;
  fault?: OauthFault;
  smtp?: FaultySmtpOptions;
  rotates?: boolean;
  recordId?: string;
}

/** Tests a server that accepts the tokens of a provider, and returns the reply. */
async function probe(tried: Tried) {
  const { login = BY_CLIENT, fault, smtp, rotates, recordId = "acc_1/4", host = "localhost" } =
    tried;
  await using oauth = await openFaultyOauth({
    ...{ client: CLIENT, refreshToken: "canary-rt", rotates: rotates ?? false },
  });
  oauth.behave(() => fault);
  await using server = await openFaultySmtp({
    tokens: { accepts: (user, token) => user === USER && oauth.isValid(token) },
    ...smtp,
  });
  const { port } = server;
  const replaced: Replaced[] = [];
  const step = probeStep({
    ...{ keys: KEYS, logger: { warn: () => {} }, ehloName: "test.example" },
    ...{ resolveHost: resolveLocal, greetMs: 700, limitMs: 3_000 },
    tokenClient: clientOf(oauth),
    integrations: {
      replaceRefreshToken: (_accountId, id, tokens) => {
        replaced.push({ id, ...tokens });
        return Promise.resolve(true);
      },
    },
  });
  const auth = loginOf(login, { recordId, host, port });
  const tls = smtp?.tls ?? "none";
  const settings: ProbeSettings = {
    ...{ host, port, tls, ca: null, allowInvalidCertificate: tls !== "none" },
    ...{ recordId, auth, sender: USER },
  };
  const data = { v: 2 as const, accountId: "acc_1", settings };
  const delivery = { type: "probe.requested" as const, data };
  const verdict = await step.handle(delivery, new AbortController().signal);
  const reply = (verdict.type === "done" ? verdict.replies?.[0] : undefined) as ProbeReply;
  return { reply, replaced, auth, port, token: oauth.refreshToken, asked: oauth.requests.length };
}

function loginOf(
  login: SealedFor,
  { recordId, host, port }: { recordId: string; host: string; port: number },
): IntegrationLogin {
  const bound = { accountId: "acc_1", recordId, host, port };
  return integrationLoginSchema.parse(
    login((field, secret) =>
      sealSecret(secret, { ...bindLogin(bound, field), key: sealingKeyOf(KEYS) })
    ),
  );
}

test("probeStep() logs in by an access token", async () => {
  const { reply } = await probe({});
  assert.ok(reply.ok, JSON.stringify(reply));
  const login = reply.steps.find(({ step }) => step === "auth");
  assert.equal(login?.detail, `Logged in as ${USER}`);
});

test("probeStep() says in words what is wrong with a login by access tokens", async () => {
  const error = (status: number, error: string, description = ""): OauthFault => ({
    ...{ do: "error", status, error, description },
  });
  const refused = (reply: string): FaultySmtpOptions => ({ tokens: { accepts: () => reply } });
  const cases: [Tried, RegExp, RegExp][] = [
    [
      { fault: error(400, "invalid_request", "AADSTS90002: Tenant 'x' not found.") },
      /The tenant is wrong/,
      /directory \(tenant\) id/,
    ],
    [
      { fault: error(401, "invalid_client", "AADSTS7000222: expired") },
      /The client secret has expired/,
      /Create another one/,
    ],
    [
      { fault: error(400, "invalid_grant", "AADSTS65001: not consented") },
      /Consent is missing/,
      /administrator grant consent/,
    ],
    [
      { fault: error(400, "invalid_scope", "AADSTS70011: invalid scope") },
      /may not ask for the permission/,
      /SMTP\.SendAsApp/,
    ],
    [{ login: byPerson(null) }, /Nobody has consented yet/, /Give consent/],
    [{ login: byPerson("revoked") }, /expired, or was revoked/, /Give consent again/],
    [{ fault: error(503, "server_error") }, /Microsoft answered 503/, /tried again by itself/],
    [
      { smtp: refused("535 5.7.139 SmtpClientAuthentication is disabled") },
      /refused the access token/,
      /Authenticated SMTP is turned off/,
    ],
    [
      { smtp: refused("535 5.7.3 Authentication unsuccessful") },
      /refused the access token/,
      /New-ServicePrincipal/,
    ],
    [
      { smtp: refused("538 5.7.11 Encryption required") },
      /requires encryption before a login/,
      /^Choose STARTTLS or TLS$/,
    ],
    [
      { smtp: { ...refused("538 5.7.11 Encryption required"), tls: "starttls" } },
      /requires encryption before a login/,
      /^The connection is encrypted already/,
    ],
    ...["smtp.gmail.com", "smtp.office365.com", "mail.example.com"].map((host) =>
      [
        { host, smtp: { ...refused("504 5.5.4 Unrecognized authentication"), tls: "starttls" } },
        /does not accept this login method/,
        /the server that the provider names for OAuth/,
      ] satisfies [Tried, RegExp, RegExp]
    ),
    [
      { smtp: { users: { ann: "x" }, tokens: { mechanisms: [], accepts: () => true } } },
      ...[
        /offers no login by access tokens/,
        /Choose a login by password/,
      ] as const,
    ],
  ];
  for (const [tried, detail, remedy] of cases) {
    const { reply } = await probe(tried);
    const step = reply.steps.find(({ outcome }) => outcome === "failed");
    assert.equal(step?.step, "auth", JSON.stringify(reply));
    assert.match(step.detail, detail);
    assert.match(step.remedy ?? "", remedy);
    assert.doesNotMatch(JSON.stringify(reply), /canary|SmtpClientAuthentication is|Tenant 'x'/);
  }
});

test("probeStep() keeps a refresh token that a test has replaced, if the integration is stored", async () => {
  const login = byPerson("canary-rt");
  const { reply, replaced, auth, port, token } = await probe({ login, rotates: true });
  assert.ok(reply.ok);
  assert.ok(auth.kind === "oauthRefreshToken" && auth.refreshToken);
  const [one] = replaced;
  assert.deepEqual([replaced.length, one?.id, one?.from], [1, 4, auth.refreshToken]);
  const bound = { accountId: "acc_1", recordId: "acc_1/4", host: "localhost", port };
  const binding = { ...bindLogin(bound, "auth.refreshToken"), keys: KEYS };
  assert.ok(one);
  assert.equal(openSecret(one.to, binding), token);
  const unsaved = await probe({ login, rotates: true, recordId: "acc_1/probe-0a" });
  assert.deepEqual([unsaved.reply.ok, unsaved.replaced], [true, []]);
});
