import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

const CLIENT = { id: "posthaste", secret: "client-secret" };

/** The provider's claims about the next sign-in. */
export interface Claims {
  sub: string;
  email?: string;
  email_verified?: boolean | string;
  name?: string;
  nonce?: string;
  aud?: string;
  /** Time of the sign-in, in seconds since 1970; now if it is requested and missing. */
  auth_time?: number;
}

/** A small OpenID Connect provider where every user is signed in. */
export interface TestProvider extends AsyncDisposable {
  issuer: string;
  /** The settings of a dashboard that uses it. */
  settings: { issuer: string; clientId: string; clientSecret: string; name: string };
  next: Claims;
  /** Signs with a key that it does not publish. */
  forges: boolean;
  /** Whether addresses and names are at the userinfo endpoint only. */
  isTerse: boolean;
  isDown: boolean;
}

interface Departed {
  challenge: string;
  nonce: string;
  redirect: string;
  /** Whether the provider must ask for the user again. */
  isAgain: boolean;
}

/** Opens a provider on loopback. */
export async function openTestProvider(): Promise<TestProvider> {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const forger = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const codes = new Map<string, Departed>();
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
        codes.set(code, { challenge, nonce, redirect, isAgain: asked["max_age"] === "0" });
        assert.equal(asked["prompt"], asked["max_age"] === "0" ? "login" : undefined);
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
    const { sub, nonce, aud, ...person } = provider.next;
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      ...{ iss: provider.issuer, aud: aud ?? CLIENT.id, iat: now, exp: now + 60, sub },
      ...(provider.isTerse ? {} : person),
      nonce: nonce ?? found.nonce,
      ...(found.isAgain ? { auth_time: person.auth_time ?? now } : {}),
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
  const issuer = `http://127.0.0.1:${port}`;
  const provider: TestProvider = {
    ...{ issuer, next: { sub: "1" } },
    settings: { issuer, clientId: CLIENT.id, clientSecret: CLIENT.secret, name: "Example" },
    ...{ forges: false, isTerse: false, isDown: false },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
}
