import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openFaultyOauth, takesLong, until } from "@posthaste/kit";
import { bindLogin, openSecret } from "@posthaste/storage";
import { startTelemetry } from "@posthaste/telemetry";
import {
  BY_CLIENT,
  byPerson,
  CLIENT,
  KEYS,
  openTestTokens,
  type TestTokens,
} from "./_test_tokens.ts";
import { OauthFailure } from "./oauth_failure.ts";

takesLong();

const MINUTE = 60_000;

let opened: TestTokens;
before(async () => {
  opened = await openTestTokens();
});
after(() => opened?.[Symbol.asyncDispose]());

/** Returns a clock that runs ahead of the database's by `aheadMs`. */
function clockOf(ahead: { ms: number }): () => Date {
  return () => new Date(opened.store.now().getTime() + ahead.ms);
}

test("get() asks the provider once for fifty mails in two mailers, and stores the token sealed", async () => {
  await using oauth = await openFaultyOauth({ client: CLIENT });
  oauth.behave(() => ({ do: "delay", ms: 300 }));
  const integration = await opened.create(BY_CLIENT);
  const mailers = [opened.mailer(oauth), opened.mailer(oauth)];
  const got = await Promise.all(
    Array.from({ length: 50 }, (_, n) => mailers[n % 2]?.get(integration)),
  );
  assert.equal(oauth.requests.length, 1);
  assert.deepEqual(oauth.requests[0], {
    path: "/example.com/oauth2/v2.0/token",
    form: {
      ...{ grant_type: "client_credentials", client_id: CLIENT.id, client_secret: CLIENT.secret },
      scope: "https://outlook.office365.com/.default",
    },
  });
  const [token] = new Set(got.map((each) => each?.token));
  assert.ok(token && oauth.isValid(token) && new Set(got.map((each) => each?.id)).size === 1);
  const later = await opened.mailer(oauth).get(integration);
  assert.deepEqual([later.token, oauth.requests.length], [token, 1], "a third mailer reads it");
  const { accountId, _id } = integration;
  const stored = JSON.stringify(await opened.store.smtpTokens.find(accountId, _id));
  assert.ok(!stored.includes(token) && stored.includes("ciphertext"), stored);
  assert.equal(await opened.store.smtpTokens.find("acc_other", _id), null);
});

test("get() renews a token ahead of expiry, once over all mailers, while mail uses the old one", async () => {
  await using oauth = await openFaultyOauth({ client: CLIENT, expiresInS: 3600 });
  const integration = await opened.create(BY_CLIENT);
  const ahead = { ms: 0 };
  const now = clockOf(ahead);
  const mailers = [opened.mailer(oauth, { now }), opened.mailer(oauth, { now })] as const;
  const [first] = await Promise.all(mailers.map((mailer) => mailer.get(integration)));
  assert.equal(oauth.requests.length, 1);
  ahead.ms = 49 * MINUTE;
  assert.deepEqual((await mailers[0].get(integration)).token, first?.token);
  assert.equal(oauth.requests.length, 1, "it is not due");
  ahead.ms = 51 * MINUTE;
  const during = await Promise.all(
    mailers.flatMap((mailer) => [mailer.get(integration), mailer.get(integration)]),
  );
  assert.deepEqual(new Set(during.map(({ token }) => token)), new Set([first?.token]));
  await until(async () => (await mailers[0].get(integration)).token !== first?.token, {
    message: "the new token",
  });
  await until(async () => (await mailers[1].get(integration)).token !== first?.token, {
    message: "the new token in the other mailer",
  });
  assert.equal(oauth.requests.length, 2);
});

test("get() keeps the old token while it cannot be renewed, and fails when that has expired", async () => {
  await using oauth = await openFaultyOauth({ client: CLIENT, expiresInS: 3600 });
  const integration = await opened.create(BY_CLIENT);
  const ahead = { ms: 0 };
  const mailer = opened.mailer(oauth, { now: clockOf(ahead) });
  const first = await mailer.get(integration);
  oauth.behave(() => ({ do: "error", status: 503, error: "temporarily_unavailable" }));
  ahead.ms = 55 * MINUTE;
  assert.equal((await mailer.get(integration)).token, first.token);
  await until(() => oauth.requests.length === 2, { message: "the renewal" });
  assert.equal((await mailer.get(integration)).token, first.token);
  ahead.ms = 61 * MINUTE;
  await assert.rejects(mailer.get(integration), isFailure(false, /Microsoft answered 503/));
  oauth.behave(undefined);
  ahead.ms = 62 * MINUTE;
  assert.ok(oauth.isValid((await mailer.get(integration)).token));
});

test("get() shares a failure, and asks again only later", async () => {
  await using oauth = await openFaultyOauth({ client: CLIENT });
  oauth.behave(() => ({ do: "error", status: 429, error: "slow_down", retryAfter: "120" }));
  const integration = await opened.create(BY_CLIENT);
  const ahead = { ms: 0 };
  const now = clockOf(ahead);
  const mailers = [opened.mailer(oauth, { now }), opened.mailer(oauth, { now })] as const;
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, n) => mailers[n % 2]?.get(integration)),
  );
  assert.ok(results.every(({ status }) => status === "rejected"));
  ahead.ms = 119_000;
  await assert.rejects(mailers[0].get(integration), isFailure(false, /answered 429/));
  assert.equal(oauth.requests.length, 1);
  oauth.behave(undefined);
  ahead.ms = 121_000;
  assert.ok(oauth.isValid((await mailers[1].get(integration)).token));
});

test("get() reports what only a person can repair, and tries again immediately after a change", async () => {
  await using oauth = await openFaultyOauth({ client: { ...CLIENT, secret: "another" } });
  const integration = await opened.create(BY_CLIENT);
  const mailer = opened.mailer(oauth);
  const refused = isFailure(
    true,
    /client id or its secret.*invalid_client/,
    /create another secret/,
  );
  await assert.rejects(mailer.get(integration), refused);
  await assert.rejects(mailer.get(integration), refused);
  assert.equal(oauth.requests.length, 1);
  const { accountId, id } = integration;
  const changed = await opened.store.integrations.update(accountId, id, { name: "Renamed" });
  assert.ok(changed);
  await assert.rejects(mailer.get(changed), refused);
  assert.equal(oauth.requests.length, 2);
  const pending = await opened.create(byPerson(null));
  await assert.rejects(
    mailer.get(pending),
    isFailure(true, /Nobody has consented/, /Give consent/),
  );
  assert.equal(oauth.requests.length, 2, "nothing to ask for");
});

test("get() keeps the refresh token by which a provider replaces the one that was used", async () => {
  await using oauth = await openFaultyOauth({ client: CLIENT, rotates: true });
  const integration = await opened.create(byPerson(oauth.refreshToken));
  const { accountId, id, _id: recordId, host, port } = integration;
  const ahead = { ms: 0 };
  const now = clockOf(ahead);
  const seen = new Set<string>([oauth.refreshToken]);
  for (let round = 1; round <= 4; round++) {
    // Another process each time.
    const { token } = await opened.mailer(oauth, { now }).get(integration);
    assert.ok(oauth.isValid(token));
    assert.equal(oauth.requests.length, round);
    seen.add(oauth.refreshToken);
    const found = await opened.store.integrations.find(accountId, id);
    assert.ok(found?.auth?.kind === "oauthRefreshToken" && found.auth.refreshToken);
    const binding = bindLogin({ accountId, recordId, host, port }, "auth.refreshToken");
    const kept = openSecret(found.auth.refreshToken, { ...binding, keys: KEYS });
    assert.deepEqual([kept, found.revision], [oauth.refreshToken, 1]);
    ahead.ms += 61 * MINUTE;
  }
  assert.equal(seen.size, 5);
});

test("get() keeps the refresh token of a consent that was given while the old one was used", async () => {
  await using oauth = await openFaultyOauth({ client: CLIENT, rotates: true });
  const integration = await opened.create(byPerson(oauth.refreshToken));
  const { accountId, id } = integration;
  oauth.behave(() => ({ do: "delay", ms: 500 }));
  const asking = opened.mailer(oauth).get(integration);
  await until(() => oauth.requests.length === 1, { message: "the request" });
  const consented = { keyId: "k", wrappedKey: "w", nonce: "n", ciphertext: "of the consent" };
  await opened.store.integrations.update(accountId, id, {
    auth: (_recordId, current) => {
      assert.ok(current?.kind === "oauthRefreshToken");
      return { ...current, refreshToken: consented };
    },
  });
  await asking;
  const found = await opened.store.integrations.find(accountId, id);
  assert.ok(found?.auth?.kind === "oauthRefreshToken");
  assert.deepEqual(found.auth.refreshToken, consented);
});

test("replace() returns one new token for a refused one, and none for the one after it", async () => {
  await using oauth = await openFaultyOauth({ client: CLIENT });
  const integration = await opened.create(BY_CLIENT);
  const mailers = [opened.mailer(oauth), opened.mailer(oauth)] as const;
  const refused = await mailers[0].get(integration);
  await mailers[1].get(integration);
  const replaced = await Promise.all(
    Array.from({ length: 20 }, (_, n) => mailers[n % 2]?.replace(integration, refused.id)),
  );
  assert.equal(oauth.requests.length, 2);
  const [first] = replaced;
  assert.ok(first !== undefined && first.token !== refused.token);
  assert.deepEqual(new Set(replaced.map((each) => each?.token)), new Set([first.token]));
  for (const mailer of mailers) {
    assert.equal((await mailer.get(integration)).token, first.token);
    assert.equal(await mailer.replace(integration, first.id), undefined);
  }
  assert.equal(oauth.requests.length, 2);
});

test("get() asks in place of a mailer that was lost while it asked", async () => {
  await using oauth = await openFaultyOauth({ client: CLIENT });
  const integration = await opened.create(BY_CLIENT);
  const { _id: id, accountId } = integration;
  const lost = { id, accountId, version: null, holder: "lost", forMs: 1000 };
  const { smtpTokens } = opened.store;
  assert.equal(await smtpTokens.claim(lost), true);
  assert.equal(await smtpTokens.claim({ ...lost, holder: "other" }), false);
  const { token } = await opened.mailer(oauth).get(integration);
  assert.deepEqual([oauth.requests.length, oauth.isValid(token)], [1, true]);
  const failure = { reason: "late", remedy: "", isPermanent: true, retryAt: new Date(9e12) };
  const late = { ...lost, version: "v", revision: 1, keptUntil: new Date(9e12), failure };
  assert.equal(await smtpTokens.save(late), false, "its answer comes too late");
  assert.equal((await opened.mailer(oauth).get(integration)).token, token);
});

test("get() does not give a token to another server", async () => {
  await using oauth = await openFaultyOauth({ client: CLIENT });
  const integration = await opened.create(BY_CLIENT);
  const { accountId, id } = integration;
  await opened.mailer(oauth).get(integration);
  const moved = await opened.store.integrations.update(accountId, id, { host: "evil.example" });
  assert.ok(moved);
  await assert.rejects(opened.mailer(oauth).get(moved), /Cannot open secret "auth.clientSecret"/);
  // The revision as before: as if somebody had written into the database.
  const written = { ...moved, revision: integration.revision };
  await assert.rejects(opened.mailer(oauth).get(written), /Cannot open secret/);
  assert.equal(oauth.requests.length, 1);
});

test("get() and replace() do not give a former server the token of the one that replaced it", async () => {
  await using oauth = await openFaultyOauth({ client: CLIENT });
  for (const server of [{ host: "127.0.0.1" }, { port: 465 }]) {
    const stale = await opened.create(BY_CLIENT);
    // A mailer that read the settings before the change, and one that has no token of them.
    const [mailer, other] = [opened.mailer(oauth), opened.mailer(oauth)];
    const former = await mailer.get(stale);
    const current = await opened.move(stale, server);
    const before = oauth.requests.length;
    const isRefused = isFailure(false, /SMTP server of the integration was changed/);
    await assert.rejects(mailer.replace(stale, former.id), isRefused);
    assert.equal(oauth.requests.length, before, "no token is fetched for a former server");
    const { token } = await mailer.get(current);
    assert.notEqual(token, former.token);
    for (const each of [mailer, other]) {
      await assert.rejects(each.get(stale), isRefused);
      await assert.rejects(each.replace(stale, former.id), isRefused);
    }
    assert.equal((await other.get(current)).token, token, "the current server is not delayed");
    await assert.rejects(other.get(stale), isRefused);
    assert.equal(oauth.requests.length, before + 1);
  }
});

test("get() gives a former server its own token while that is valid", async () => {
  await using oauth = await openFaultyOauth({ client: CLIENT });
  const stale = await opened.create(BY_CLIENT);
  const { token } = await opened.mailer(oauth).get(stale);
  await opened.move(stale, { host: "127.0.0.1" });
  assert.equal((await opened.mailer(oauth).get(stale)).token, token);
  assert.equal(oauth.requests.length, 1);
});

/** Returns a check of a failure's words. */
function isFailure(isPermanent: boolean, reason: RegExp, remedy = /./) {
  return (error: unknown) => {
    assert.ok(error instanceof OauthFailure, String(error));
    assert.match(error.message, reason);
    assert.match(error.remedy, remedy);
    assert.doesNotMatch(error.sentence, /canary/);
    assert.equal(error.isPermanent, isPermanent);
    return true;
  };
}

test("get() counts what providers answer, by provider and outcome", async () => {
  await using telemetry = await startTelemetry({ service: "mailer", env: {}, prometheus: true });
  await using oauth = await openFaultyOauth({ client: CLIENT });
  await opened.mailer(oauth).get(await opened.create(BY_CLIENT));
  oauth.behave(() => ({ do: "error", status: 401, error: "invalid_client" }));
  await assert.rejects(opened.mailer(oauth).get(await opened.create(BY_CLIENT)), OauthFailure);
  oauth.behave(() => ({ do: "error", status: 503, error: "temporarily_unavailable" }));
  await assert.rejects(opened.mailer(oauth).get(await opened.create(byPerson("rt"))), OauthFailure);
  const { body = "" } = await telemetry.readMetrics?.(undefined) ?? {};
  const counted = [...body.matchAll(/^posthaste_oauth_refreshes_total\{(.*)\} (\d+)$/gm)]
    .map(([, labels = "", value]) =>
      [...labels.matchAll(/="(\w+)"/g)].map(([, each]) => each).join() + value
    );
  assert.deepEqual(counted.toSorted(), [
    ...["microsoft,issued1", "microsoft,refused1", "microsoft,unavailable1"],
  ]);
});
