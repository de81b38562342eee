import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import type { Integration } from "@posthaste/contracts";
import {
  type FaultyOauth,
  type FaultySmtp,
  type FaultySmtpTokens,
  openFaultyOauth,
  openFaultySmtp,
  takesLong,
} from "@posthaste/kit";
import { integrationStateOf, reasonOfPause } from "@posthaste/storage";
import { isUnoffered, isUnreachable, SmtpFailure } from "../smtp_failure.ts";
import { judgeSmtpFailure } from "../smtp_verdict.ts";
import { stopIntegration } from "../stop_integration.ts";
import { openTransportPool, type TransportPool } from "../transport_pool.ts";
import { unsealer } from "../unseal.ts";
import {
  BY_CLIENT,
  CLIENT,
  KEYS,
  openTestTokens,
  resolveLocal,
  type TestTokens,
  USER,
} from "./_test_tokens.ts";

takesLong();

const MAIL = Buffer.from("Subject: x\r\n\r\nx\r\n");

let opened: TestTokens;
before(async () => {
  opened = await openTestTokens();
});
after(() => opened?.[Symbol.asyncDispose]());

/** A provider, a server that accepts its tokens, and mailers. */
interface Fixture extends AsyncDisposable {
  oauth: FaultyOauth;
  smtp: FaultySmtp;
  integration: Integration;
  /** The tokens that the server has seen. */
  seen: string[];
  /** Sends one mail by one of two mailers. */
  send(mailer?: number): Promise<unknown>;
}

async function openFixture(tokens: Partial<FaultySmtpTokens> = {}): Promise<Fixture> {
  await using stack = new AsyncDisposableStack();
  const oauth = stack.use(await openFaultyOauth({ client: CLIENT }));
  const seen: string[] = [];
  const smtp = stack.use(
    await openFaultySmtp({
      tokens: {
        accepts: (user, token) => {
          seen.push(token);
          return user === USER && oauth.isValid(token);
        },
        ...tokens,
      },
    }),
  );
  const integration = await opened.create(BY_CLIENT, smtp.port);
  const mailers = [0, 1].map(() => {
    const pool: TransportPool = stack.use(
      openTransportPool({
        ehloName: "test.example.com",
        drainMs: 1_000,
        resolveHost: resolveLocal,
      }),
    );
    return { pool, unseal: unsealer(KEYS, opened.mailer(oauth)) };
  });
  const resources = stack.move();
  return {
    ...{ oauth, smtp, seen, integration },
    send: async (mailer = 0) => {
      const { pool, unseal } = mailers[mailer % 2] ?? assert.fail();
      const mail = { envelope: { from: USER, to: "ann@example.net" }, raw: MAIL };
      return await pool.send({ ...mail, integration: unseal(integration) });
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

async function failureOf(sending: Promise<unknown>): Promise<SmtpFailure> {
  const failure = await sending.then(() => assert.fail("it was sent"), (error) => error);
  assert.ok(failure instanceof SmtpFailure, String(failure));
  return failure;
}

test("send() logs in by XOAUTH2 or OAUTHBEARER, with one token for fifty mails of two mailers", async () => {
  for (const mechanism of ["XOAUTH2", "OAUTHBEARER"] as const) {
    await using fixture = await openFixture({ mechanisms: [mechanism] });
    const { oauth, smtp, seen, send } = fixture;
    oauth.behave(() => ({ do: "delay", ms: 200 }));
    await Promise.all(Array.from({ length: 50 }, (_, n) => send(n)));
    assert.equal(smtp.counts.accepted, 50);
    assert.deepEqual([oauth.requests.length, new Set(seen).size], [1, 1]);
    assert.deepEqual(smtp.counts.violations, []);
    assert.ok(smtp.records.every(({ user }) => user === USER));
  }
});

test("send() refreshes a refused token once, and sends with the new one", async () => {
  for (const challenge of [undefined, "401"]) {
    await using fixture = await openFixture(challenge === undefined ? {} : { challenge });
    const { oauth, smtp, send } = fixture;
    await send();
    oauth.revoke();
    smtp.dropConnections();
    await Promise.all(Array.from({ length: 20 }, (_, n) => send(n)));
    assert.equal(smtp.counts.accepted, 21);
    assert.equal(oauth.requests.length, 2);
    assert.deepEqual(smtp.counts.violations, []);
  }
});

test("send() fails for good when a new token is refused, too, and the reason has the remedy", async () => {
  const cases: [Partial<FaultySmtpTokens>, RegExp][] = [
    [{ accepts: () => "535 5.7.3 Authentication unsuccessful" }, /SMTP\.SendAsApp.*New-ServicePri/],
    [{ accepts: () => "535 5.7.139 disabled" }, /Authenticated SMTP is turned off/],
    [{ accepts: () => false, challenge: "insufficient_scope" }, /lacks the permission/],
    [
      { accepts: () => "501 5.5.0 Cancelled", challenge: "invalid_token" },
      /address of the mailbox/,
    ],
  ];
  for (const [tokens, remedy] of cases) {
    await using fixture = await openFixture(tokens);
    const { oauth, smtp, seen, send } = fixture;
    const accepts = tokens.accepts ?? assert.fail();
    tokens.accepts = (user, token) => {
      seen.push(token);
      return accepts(user, token);
    };
    const failures = await Promise.all(
      Array.from({ length: 10 }, (_, n) => failureOf(send(n))),
    );
    for (const failure of failures) {
      const { kind, reason } = judgeSmtpFailure(failure);
      assert.equal(kind, "suspend_integration");
      assert.match(reason, /^The SMTP server refused the access token\. /);
      assert.match(reason, remedy);
      assert.deepEqual([isUnreachable(failure), isUnoffered(failure)], [false, true]);
    }
    assert.equal(oauth.requests.length, 2, "it is refreshed once");
    assert.deepEqual([smtp.counts.accepted, smtp.counts.violations], [0, []]);
    await failureOf(send());
    assert.equal(oauth.requests.length, 2, "and not again immediately");
  }
});

test("an integration whose token is refused twice is suspended, and everybody reads the remedy", async () => {
  const { store } = opened;
  await using fixture = await openFixture();
  const { oauth, smtp, send, integration: { accountId, id } } = fixture;
  await send();
  // Each token that it issues from now on is another one, and none is valid.
  oauth.behave(() => ({
    ...{ do: "answer", status: 200 },
    body: JSON.stringify({ access_token: `at-${randomUUID()}`, token_type: "Bearer" }),
  }));
  oauth.revoke();
  smtp.dropConnections();
  const verdict = judgeSmtpFailure(await failureOf(send()));
  const since = new Date();
  const blocked: string[] = [];
  const reason = await stopIntegration(verdict, { integration: fixture.integration, now: since }, {
    ...store,
    admission: { block: ({ _id }) => void blocked.push(_id) },
  });
  assert.match(reason ?? "", /^The SMTP server refused the access token\. .*New-ServicePrincipal/);
  assert.deepEqual(blocked, [fixture.integration._id]);
  const integration = await store.integrations.find(accountId, id);
  assert.deepEqual(integration?.suspended, { at: since, reason });
  assert.deepEqual(
    integrationStateOf({ integration, circuit: null, result: undefined, waiting: 1 }),
    { state: "suspended", reason },
  );
  assert.equal(reasonOfPause(integration, null), `The integration is suspended: ${reason}`);
  const happened = await store.events.listHappenings(since, 9);
  assert.deepEqual(
    happened.map(({ accountId: account, type, data }) => [account, type, data]),
    [[accountId, "integration.suspended", { integrationId: id, reason }]],
  );
});

test("send() defers while the server cannot check a token, and refreshes nothing", async () => {
  await using fixture = await openFixture({ accepts: () => "454 4.7.0 Temporary failure" });
  const failure = await failureOf(fixture.send());
  assert.equal(judgeSmtpFailure(failure).kind, "defer");
  assert.equal(fixture.oauth.requests.length, 1);
});

test("send() suspends where a login requires encryption, and refreshes no token", async () => {
  for (const reply of ["538 5.7.11 Encryption required", "538 Encryption required"]) {
    await using fixture = await openFixture({ accepts: () => reply });
    const { kind, reason, code } = judgeSmtpFailure(await failureOf(fixture.send()));
    assert.deepEqual([kind, code], ["suspend_integration", 538]);
    assert.equal(
      reason,
      "The SMTP server requires encryption before a login. Choose STARTTLS or TLS",
    );
    assert.equal(fixture.oauth.requests.length, 1);
  }
});

test("send() treats a provider that does not answer like a server out of reach", async () => {
  await using fixture = await openFixture();
  const { oauth, smtp, send } = fixture;
  oauth.behave(() => ({ do: "error", status: 503, error: "server_error" }));
  const failure = await failureOf(send());
  const { kind, reason } = judgeSmtpFailure(failure);
  assert.equal(kind, "defer");
  assert.match(reason, /The sign-in service of Microsoft answered 503/);
  assert.deepEqual([isUnreachable(failure), isUnoffered(failure)], [true, true]);
  assert.equal(failure.errorType, "unavailable");
  assert.equal(smtp.counts.connections, 0);
});

test("send() suspends when the provider refuses the client, with what to do", async () => {
  await using fixture = await openFixture();
  const { oauth, smtp, send } = fixture;
  const description = "AADSTS7000222: The provided client secret keys for app '1' are expired.";
  oauth.behave(() => ({ do: "error", status: 401, error: "invalid_client", description }));
  const failure = await failureOf(send());
  const { kind, reason } = judgeSmtpFailure(failure);
  assert.equal(kind, "suspend_integration");
  assert.match(
    reason,
    /^The client secret has expired \(Microsoft: AADSTS7000222\)\. Create another/,
  );
  assert.equal(isUnreachable(failure), false);
  assert.deepEqual([smtp.counts.connections, oauth.requests.length], [0, 1]);
});

test("send() reports a server that offers no login by tokens", async () => {
  await using smtp = await openFaultySmtp({ users: { ann: "x" } });
  await using oauth = await openFaultyOauth({ client: CLIENT });
  const integration = await opened.create(BY_CLIENT, smtp.port);
  await using pool = openTransportPool({
    ...{ ehloName: "test.example.com", drainMs: 1_000, resolveHost: resolveLocal },
  });
  const mail = { envelope: { from: USER, to: "ann@example.net" }, raw: MAIL };
  const unseal = unsealer(KEYS, opened.mailer(oauth));
  const failure = await failureOf(pool.send({ ...mail, integration: unseal(integration) }));
  const { kind, reason } = judgeSmtpFailure(failure);
  assert.equal(kind, "defer");
  assert.match(reason, /offers no login by access tokens/);
});
