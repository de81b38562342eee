import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { openTestDashboard, type TestDashboard } from "./_test_dashboard.ts";
import { SESSION_COOKIE } from "./guard.ts";
import { OIDC_COOKIE } from "./routes/oidc.ts";
import { hashToken, newToken } from "./session.ts";

const CLIENT = { id: "posthaste", secret: "client-secret" };

/** What the provider says of the next one who signs in. */
interface Claims {
  sub: string;
  email?: string;
  email_verified?: boolean | string;
  name?: string;
  nonce?: string;
  aud?: string;
}

interface Provider extends AsyncDisposable {
  issuer: string;
  next: Claims;
  /** Signs with a key that it does not publish. */
  forges: boolean;
  /** Tells addresses and names at the userinfo endpoint only. */
  isTerse: boolean;
  isDown: boolean;
}

/** A small OpenID Connect provider that everybody is signed in at. */
async function openProvider(): Promise<Provider> {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const forger = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const codes = new Map<string, { challenge: string; nonce: string; redirect: string }>();
  const jwk = { ...publicKey.export({ format: "jwk" }), kid: "1", alg: "RS256", use: "sig" };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "", provider.issuer);
    const answer = (status: number, body: unknown) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
    if (provider.isDown) return answer(500, {});
    switch (url.pathname) {
      case "/.well-known/openid-configuration":
        return answer(200, {
          issuer: provider.issuer,
          authorization_endpoint: `${provider.issuer}/authorize`,
          token_endpoint: `${provider.issuer}/token`,
          userinfo_endpoint: `${provider.issuer}/userinfo`,
          jwks_uri: `${provider.issuer}/jwks`,
          response_types_supported: ["code"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["RS256"],
        });
      case "/jwks":
        return answer(200, { keys: [jwk] });
      case "/authorize": {
        const asked = Object.fromEntries(url.searchParams);
        assert.equal(asked["client_id"], CLIENT.id);
        assert.equal(asked["code_challenge_method"], "S256");
        const code = randomUUID();
        const { redirect_uri: redirect = "", nonce = "", code_challenge: challenge = "" } = asked;
        codes.set(code, { challenge, nonce, redirect });
        const back = new URL(redirect);
        back.searchParams.set("code", code);
        back.searchParams.set("state", asked["state"] ?? "");
        response.writeHead(302, { location: back.href });
        return response.end();
      }
      case "/token":
        return answer(...await tokenAnswer(request));
      case "/userinfo":
        return answer(200, provider.next);
      default:
        return answer(404, {});
    }
  });

  async function tokenAnswer(request: IncomingMessage): Promise<[number, unknown]> {
    const form = new URLSearchParams(await text(request));
    const code = form.get("code") ?? "";
    const found = codes.get(code);
    codes.delete(code);
    const challenge = createHash("sha256").update(form.get("code_verifier") ?? "").digest(
      "base64url",
    );
    if (
      found === undefined || found.challenge !== challenge ||
      found.redirect !== form.get("redirect_uri") || form.get("client_secret") !== CLIENT.secret
    ) return [400, { error: "invalid_grant" }];
    const { sub, nonce, aud, ...told } = provider.next;
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      ...{ iss: provider.issuer, aud: aud ?? CLIENT.id, iat: now, exp: now + 60, sub },
      ...(provider.isTerse ? {} : told),
      nonce: nonce ?? found.nonce,
    };
    const head = [{ alg: "RS256", kid: "1" }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
    const key = provider.forges ? forger.privateKey : privateKey;
    const signature = sign("RSA-SHA256", Buffer.from(head), key).toString("base64url");
    return [200, {
      ...{ access_token: "at", token_type: "Bearer", id_token: `${head}.${signature}` },
    }];
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const provider: Provider = {
    ...{ issuer: `http://127.0.0.1:${port}`, next: { sub: "1" } },
    ...{ forges: false, isTerse: false, isDown: false },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
}

let provider: Provider;
let dashboard: TestDashboard;
before(async () => {
  provider = await openProvider();
});
after(() => provider?.[Symbol.asyncDispose]());
beforeEach(async () => {
  Object.assign(provider, { next: { sub: "1" }, forges: false, isTerse: false, isDown: false });
  const { issuer } = provider;
  const oidc = { issuer, clientId: CLIENT.id, clientSecret: CLIENT.secret, name: "Example" };
  dashboard = await openTestDashboard({ options: { oidc } });
});
afterEach(() => dashboard[Symbol.asyncDispose]());

/** Sends a browser to the provider; gives the address it comes back to, and the cookie it has. */
async function depart(query = ""): Promise<{ back: string; cookie: string }> {
  const sent = await dashboard.signedOut.get(`/api/entrance/oidc${query}`);
  assert.equal(sent.status, 303);
  const answer = await fetch(String(sent.headers["location"]), { redirect: "manual" });
  const { pathname, search } = new URL(answer.headers.get("location") ?? "");
  return { back: `${pathname}${search}`, cookie: sent.cookies[OIDC_COOKIE] ?? "" };
}

/** The browser comes back; gives where it is sent, and its session. */
async function arrive({ back, cookie }: { back: string; cookie: string }) {
  const headers = { cookie: `${OIDC_COOKIE}=${cookie}` };
  const answer = await dashboard.signedOut.get(back, headers);
  const token = answer.cookies[SESSION_COOKIE];
  const session = token === undefined
    ? undefined
    : (await dashboard.browser(token).get("/api/session")).body;
  assert.equal(answer.cookies[OIDC_COOKIE], "");
  return { to: answer.headers["location"], session };
}

const signIn = async (claims: Claims, query?: string) => {
  provider.next = claims;
  return await arrive(await depart(query));
};

async function invite(email: string) {
  const { accountId, owner } = dashboard.own;
  const token = newToken();
  const expiresAt = new Date(Date.now() + 60_000);
  await dashboard.store.createInvitation({
    ...{ _id: hashToken(token), accountId, email, role: "editor", invitedBy: owner.user._id },
    ...{ createdAt: new Date(), expiresAt },
  });
  return token;
}

test("GET /api/entrance names the provider, and its routes are not there without one", async () => {
  assert.equal((await dashboard.signedOut.get("/api/entrance")).body.oidcName, "Example");
  await using without = await openTestDashboard();
  assert.equal((await without.signedOut.get("/api/entrance")).body.oidcName, null);
  assert.equal((await without.signedOut.get("/api/entrance/oidc")).status, 404);
  assert.equal((await without.signedOut.get("/api/entrance/oidc/callback?code=x")).status, 404);
});

test("a member comes in by a verified address, and after that by the provider's subject alone", async () => {
  const { own, store } = dashboard;
  const email = "Editor@own.example";
  const { to, session } = await signIn({ sub: "s-1", email, email_verified: true });
  assert.equal(to, "/");
  assert.deepEqual([session.user.id, session.account.name], [own.editor.user._id, "Own"]);
  const user = await store.findUser(own.editor.user._id);
  assert.deepEqual(user?.oidc, { issuer: provider.issuer, subject: "s-1" });
  const again = await signIn({ sub: "s-1" });
  assert.equal(again.session.user.id, own.editor.user._id);
});

test("an address that a member has named themselves lets nobody in as them", async () => {
  const { own, store } = dashboard;
  const victim = "victim@own.example";
  await store.updateUser(own.editor.user._id, { email: victim, hasNamedEmail: true });
  const { to, session } = await signIn({ sub: "s-v", email: victim, email_verified: true });
  assert.deepEqual([to, session], ["/?refused=not_member", undefined]);
  assert.equal((await store.findUser(own.editor.user._id))?.oidc, null);
});

test("an address that the provider has not verified lets nobody in", async () => {
  for (const verified of [{ email_verified: false }, { email_verified: "no" }, {}]) {
    const { to, session } = await signIn({ sub: "s", email: "owner@own.example", ...verified });
    assert.deepEqual([to, session], ["/?refused=unverified", undefined]);
  }
  assert.equal((await dashboard.store.findUserByEmail("owner@own.example"))?.oidc, null);
});

test("who is neither a member nor invited is not let in, and no user is made", async () => {
  const email = "stranger@example.com";
  const { to, session } = await signIn({ sub: "s", email, email_verified: true });
  assert.deepEqual([to, session], ["/?refused=not_member", undefined]);
  assert.equal(await dashboard.store.findUserByEmail(email), null);
});

test("an address that has passed to another subject does not open what its first owner has", async () => {
  const email = "editor@own.example";
  await signIn({ sub: "first", email, email_verified: true });
  const { to } = await signIn({ sub: "second", email, email_verified: true });
  assert.equal(to, "/?refused=not_member");
});

test("who was invited becomes a member by signing in, with the provider's name for them", async () => {
  provider.isTerse = true;
  await invite("new@example.com");
  const claims = { sub: "n", email: "New@example.com", email_verified: "true", name: "Nora New" };
  const { to, session } = await signIn(claims);
  assert.equal(to, "/");
  assert.deepEqual([session.user.name, session.role, session.user.hasPassword], [
    ...["Nora New", "editor", false],
  ]);
  const { own, store } = dashboard;
  assert.deepEqual(await store.listInvitations(own.accountId, new Date()), []);
  const [line] = await store.listAudit(own.accountId, { limit: 1 });
  assert.equal(line?.action, "invitation.accepted");
});

test("a member of another account comes back to the invitation, and joins only if they say so", async () => {
  const { foreign, own, store } = dashboard;
  const { email, _id } = foreign.viewer.user;
  const token = await invite(email);
  const { to, session } = await signIn(
    { sub: "v", email, email_verified: true },
    `?invitation=${token}`,
  );
  assert.equal(to, `/invitation/${token}`);
  assert.equal(session.account.name, "Foreign");
  assert.equal(await store.findMember(own.accountId, _id), null);
  const odd = await dashboard.signedOut.get("/api/entrance/oidc?invitation=//evil.example");
  assert.equal(odd.status, 400);
});

test("who was removed from every account is refused, though the provider knows them", async () => {
  const { own, store } = dashboard;
  const { email, _id } = own.viewer.user;
  await signIn({ sub: "v", email, email_verified: true });
  await store.removeMember(own.accountId, _id);
  assert.equal((await signIn({ sub: "v" })).to, "/?refused=not_member");
});

test("an answer that was forged, or belongs to another question or browser, is refused", async () => {
  const claims = { sub: "o", email: "owner@own.example", email_verified: true };
  const tries: [string, () => Promise<{ to: unknown; session: unknown }>][] = [
    ["another nonce", () => signIn({ ...claims, nonce: "another" })],
    ["another audience", () => signIn({ ...claims, aud: "another" })],
    ["another state", async () => {
      const { back, cookie } = await depart();
      return arrive({ back: back.replace(/state=[^&]+/, "state=x"), cookie });
    }],
    ["another browser's cookie", async () => {
      const [mine, theirs] = [await depart(), await depart()];
      return arrive({ back: theirs.back, cookie: mine.cookie });
    }],
    ["a code used twice", async () => {
      const departure = await depart();
      provider.next = { sub: "stranger" };
      await arrive(departure);
      provider.next = claims;
      return arrive(departure);
    }],
    ["a code of one's own choice", async () => {
      const { back, cookie } = await depart();
      return arrive({ back: back.replace(/code=[^&]+/, "code=x"), cookie });
    }],
  ];
  for (const [name, attempt] of tries) {
    provider.next = claims;
    const { to, session } = await attempt();
    assert.deepEqual([to, session], ["/?refused=provider", undefined], name);
  }
  provider.forges = true;
  assert.equal((await signIn(claims)).to, "/?refused=provider");
  provider.forges = false;
  const { back } = await depart();
  assert.equal((await arrive({ back, cookie: "" })).to, "/?refused=expired");
  assert.equal((await arrive({ back, cookie: "bm8ganNvbg" })).to, "/?refused=expired");
});

test("a provider that is down is told of, and asked again the next time", async () => {
  provider.isDown = true;
  const { headers } = await dashboard.signedOut.get("/api/entrance/oidc");
  assert.equal(headers["location"], "/?refused=provider");
  provider.isDown = false;
  const claims = { sub: "e", email: "editor@own.example", email_verified: true };
  assert.equal((await signIn(claims)).to, "/");
});
