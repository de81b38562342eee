import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import {
  CONSENT_GRANT,
  type ConsentReply,
  type Integration,
  integrationLoginSchema,
  integrationSchema,
} from "@posthaste/contracts";
import { type FaultyOauth, openFaultyOauth } from "@posthaste/kit";
import { bindLogin, openSecret, sealingKeyOf, sealSecret } from "@posthaste/storage";
import { BY_CLIENT, byPerson, CLIENT, clientOf, KEYS, type SealedFor } from "./_test_tokens.ts";
import { consentStep } from "./consent_step.ts";

const key = sealingKeyOf(KEYS);
const codeVerifier = "v".repeat(43);
const redirectUri = "https://dash.example/consent";
const challenge = createHash("sha256").update(codeVerifier).digest("base64url");
const GRANT = { code: "canary-code", codeVerifier, redirectUri };

const INTEGRATION = integrationSchema.parse({
  ...{ _id: "acc_1/4", accountId: "acc_1", id: 4, name: "Shop", revision: 7 },
  ...{ host: "smtp.example.com", port: 587, tls: "starttls", auth: null },
  ...{ senders: ["shop@example.com"], createdAt: new Date(0), updatedAt: new Date(0) },
});

function withLogin(login: SealedFor): Integration {
  const bound = { ...INTEGRATION, recordId: INTEGRATION._id };
  return {
    ...INTEGRATION,
    auth: integrationLoginSchema.parse(
      login((field, secret) => sealSecret(secret, { ...bindLogin(bound, field), key })),
    ),
  };
}

function openStep(oauth: FaultyOauth, integration: Integration, warnings: unknown[] = []) {
  const step = consentStep({
    keys: KEYS,
    integrations: {
      find: (accountId, id) =>
        Promise.resolve(accountId === "acc_1" && id === integration.id ? integration : null),
    },
    tokenClient: clientOf(oauth),
    logger: { warn: (...line) => void warnings.push(line) },
  });
  return async (
    { accountId = "acc_1", recordId = "acc_1/4", grant = GRANT as object, isAgain = false } = {},
  ): Promise<ConsentReply> => {
    const binding = { accountId: "acc_1", recordId, field: CONSENT_GRANT };
    const sealed = sealSecret(JSON.stringify(grant), { ...binding, key });
    const data = { v: 2 as const, accountId, integrationId: 4, grant: sealed };
    const delivery = { type: "consent.requested" as const, data, isAgain };
    const verdict = await step.handle(delivery, new AbortController().signal);
    return (verdict.type === "done" ? verdict.replies?.[0] : undefined) as ConsentReply;
  };
}

function openProvider() {
  return openFaultyOauth({ client: CLIENT, codes: { "canary-code": { challenge, redirectUri } } });
}

test("consentStep() exchanges a code for a refresh token that is sealed for the integration", async () => {
  await using oauth = await openProvider();
  const integration = withLogin(byPerson(null));
  const reply = await openStep(oauth, integration)();
  assert.ok(reply.ok);
  assert.equal(reply.revision, 7);
  const bound = { ...integration, recordId: integration._id };
  const binding = { ...bindLogin(bound, "auth.refreshToken"), keys: KEYS };
  assert.equal(openSecret(reply.refreshToken, binding), oauth.refreshToken);
  assert.ok(!JSON.stringify(reply).includes(oauth.refreshToken));
  const [request] = oauth.requests;
  assert.deepEqual([request?.form["grant_type"], request?.form["code_verifier"]], [
    ...["authorization_code", codeVerifier],
  ]);
});

test("consentStep() uses a code once, also if its worker was lost", async () => {
  await using oauth = await openProvider();
  const ask = openStep(oauth, withLogin(byPerson(null)));
  const lost = await ask({ isAgain: true });
  assert.match(lost.ok ? "" : lost.reason, /was interrupted/);
  assert.equal(oauth.requests.length, 0);
  assert.ok((await ask()).ok);
  const again = await ask();
  assert.match(again.ok ? "" : again.reason, /has expired, or was used before/);
});

test("consentStep() refuses grants of other records, accounts and kinds of login", async () => {
  await using oauth = await openProvider();
  const warnings: unknown[] = [];
  const integration = withLogin(byPerson(null));
  const ask = openStep(oauth, integration, warnings);
  const cases: [Promise<ConsentReply>, RegExp][] = [
    [ask({ recordId: "acc_1/5" }), /could not be opened/],
    [ask({ accountId: "acc_2" }), /no login by consent/],
    [ask({ grant: { ...GRANT, codeVerifier: "short" } }), /could not be opened/],
    [openStep(oauth, withLogin(BY_CLIENT))(), /no login by consent/],
    [openStep(oauth, INTEGRATION)(), /no login by consent/],
  ];
  for (const [asking, reason] of cases) {
    const reply = await asking;
    assert.match(reply.ok ? "" : reply.reason, reason);
    assert.doesNotMatch(JSON.stringify(reply), /canary/);
  }
  assert.equal(oauth.requests.length, 0);
  assert.doesNotMatch(JSON.stringify(warnings), /canary/);
});
