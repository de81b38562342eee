import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  type Configuration,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from "openid-client";

/** The OpenID Connect provider that people may sign in at. */
export interface OidcSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** What the button says: `Sign in with <name>`. */
  name: string;
}

/** What is remembered in the browser while it is at the provider. */
export interface OidcChecks {
  state: string;
  nonce: string;
  verifier: string;
}

/** Who somebody is, in the words of the provider. */
export interface OidcIdentity {
  issuer: string;
  subject: string;
  /** Null unless the provider says that it has verified it. */
  email: string | null;
  name: string | null;
}

/** Signing in at the provider. */
export interface Oidc {
  /**
   * Returns where to send the browser; `isAgain` has the provider ask who is there, even if it knows.
   * @throws If the provider cannot be reached.
   */
  begin(redirectUri: string, isAgain: boolean): Promise<{ url: URL; checks: OidcChecks }>;
  /**
   * Finds out who came back. `url` is the address that the provider sent the browser to.
   * @throws If the answer does not fit the question, the provider takes it back, or, with `isAgain`, does not
   *   say that somebody has just signed in there.
   */
  finish(url: URL, checks: OidcChecks, isAgain: boolean): Promise<OidcIdentity>;
}

const TIMEOUT_S = 10;
/** So long ago somebody may have shown again at the provider that it is them. */
const AGAIN_S = 300;

/**
 * Opens the way to a provider: the code flow with PKCE, state and nonce. The provider's own settings
 * are read when somebody wants to sign in, and again if that failed: it need not be there at the start.
 */
export function openOidc(settings: OidcSettings): Oidc {
  const { issuer, clientId, clientSecret } = settings;
  let found: Promise<Configuration> | undefined;

  function configuration(): Promise<Configuration> {
    const url = new URL(issuer);
    // Without TLS on this machine only: for development, and for tests.
    const isLocal = url.protocol === "http:" && ["localhost", "127.0.0.1"].includes(url.hostname);
    // Without the second, the library believes an ID token that came over TLS no matter who has signed it.
    const execute = [...(isLocal ? [allowInsecureRequests] : []), enableNonRepudiationChecks];
    found ??= discovery(url, clientId, clientSecret, undefined, { execute, timeout: TIMEOUT_S })
      .catch((error) => {
        found = undefined;
        throw error;
      });
    return found;
  }

  return {
    async begin(redirectUri, isAgain) {
      const checks = {
        ...{ state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() },
      };
      const url = buildAuthorizationUrl(await configuration(), {
        ...{ redirect_uri: redirectUri, scope: "openid email profile" },
        ...{ state: checks.state, nonce: checks.nonce, code_challenge_method: "S256" },
        code_challenge: await calculatePKCECodeChallenge(checks.verifier),
        ...(isAgain ? { prompt: "login", max_age: "0" } : {}),
      });
      return { url, checks };
    },
    async finish(url, { state, nonce, verifier }, isAgain) {
      const config = await configuration();
      const tokens = await authorizationCodeGrant(config, url, {
        ...{ pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce },
        idTokenExpected: true,
        // Then the provider has to say when it was that somebody signed in there.
        ...(isAgain ? { maxAge: AGAIN_S } : {}),
      });
      const claims = tokens.claims();
      if (claims === undefined) {
        throw new Error("Cannot sign in: the provider returned no ID token");
      }
      const told = claims["email"] === undefined && config.serverMetadata().userinfo_endpoint
        ? { ...await fetchUserInfo(config, tokens.access_token, claims.sub) }
        : { ...claims };
      const { email, email_verified: verified, name } = told as Record<string, unknown>;
      // Some providers say so in a text.
      const isVerified = verified === true || verified === "true";
      return {
        ...{ issuer: claims.iss, subject: claims.sub },
        email: isVerified && typeof email === "string" ? email.toLowerCase() : null,
        name: typeof name === "string" && name.trim() !== "" ? name.trim().slice(0, 200) : null,
      };
    },
  };
}
