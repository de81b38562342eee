import { MICROSOFT_APP_SCOPE, OAUTH_ENDPOINTS, type OauthProvider } from "@posthaste/contracts";
import { jwtAssertion } from "./jwt_assertion.ts";
import { OauthFailure } from "./oauth_failure.ts";
import type { OpenedLogin } from "./opened_login.ts";

/** The URL of each provider's token endpoint. `{tenant}` stands for Microsoft's tenant. */
export type TokenEndpoints = Readonly<Record<OauthProvider, string>>;

/** A request at a token endpoint. */
export interface TokenRequest {
  url: string;
  form: Readonly<Record<string, string>>;
}

/** An authorization code, which a person's consent brought (RFC 6749, section 4.1; PKCE, RFC 7636). */
export interface ConsentCode {
  code: string;
  codeVerifier: string;
  redirectUri: string;
}

const CONSENT_MISSING = new OauthFailure("Nobody has consented yet", {
  isPermanent: true,
  remedy: "Give consent: open the integration and sign in at the provider",
});

/** Returns the request for an access token. @throws {OauthFailure} */
export function tokenRequestOf(
  login: OpenedLogin,
  { endpoints, now }: { endpoints: TokenEndpoints; now: Date },
): TokenRequest {
  switch (login.kind) {
    case "oauthClientCredentials": {
      const { tenant, clientId, clientSecret } = login;
      return {
        url: urlOf(endpoints.microsoft, tenant),
        form: {
          grant_type: "client_credentials",
          ...{ client_id: clientId, client_secret: clientSecret, scope: MICROSOFT_APP_SCOPE },
        },
      };
    }
    case "oauthRefreshToken": {
      if (login.refreshToken === null) throw CONSENT_MISSING;
      const form = { grant_type: "refresh_token", refresh_token: login.refreshToken };
      return requestOfClient(login, form, endpoints);
    }
    case "googleServiceAccount":
      return {
        url: endpoints.google,
        form: {
          grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
          assertion: assertionOf(login, { audience: endpoints.google, now }),
        },
      };
  }
}

/** Returns the request that exchanges a code for a refresh token. */
export function codeRequestOf(
  login: Extract<OpenedLogin, { kind: "oauthRefreshToken" }>,
  { code, codeVerifier, redirectUri }: ConsentCode,
  endpoints: TokenEndpoints,
): TokenRequest {
  return requestOfClient(login, {
    grant_type: "authorization_code",
    ...{ code, code_verifier: codeVerifier, redirect_uri: redirectUri },
  }, endpoints);
}

function requestOfClient(
  { provider, tenant, clientId, clientSecret }: Extract<
    OpenedLogin,
    { kind: "oauthRefreshToken" }
  >,
  form: Record<string, string>,
  endpoints: TokenEndpoints,
): TokenRequest {
  return {
    url: urlOf(endpoints[provider], tenant),
    form: {
      ...form,
      client_id: clientId,
      ...(clientSecret === null ? {} : { client_secret: clientSecret }),
      // Google refuses one here.
      ...(provider === "microsoft" ? { scope: OAUTH_ENDPOINTS.microsoft.scope } : {}),
    },
  };
}

function assertionOf(
  { user, clientEmail, keyId, privateKey }: Extract<OpenedLogin, { kind: "googleServiceAccount" }>,
  { audience, now }: { audience: string; now: Date },
): string {
  const scope = OAUTH_ENDPOINTS.google.scope;
  const claims = { issuer: clientEmail, subject: user, audience, scope, issuedAt: now };
  return jwtAssertion(claims, { keyId, privateKey });
}

function urlOf(endpoint: string, tenant: string | null): string {
  return endpoint.replace("{tenant}", encodeURIComponent(tenant ?? "common"));
}
