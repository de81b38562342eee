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
  /** Name on the button: `Sign in with <name>`. */
  name: string;
}

/** Values that the browser keeps while it is at the provider. */
export interface OidcChecks {
  state: string;
  nonce: string;
  verifier: string;
}

/** The provider's information about a person. */
export interface OidcIdentity {
  issuer: string;
  subject: string;
  /** Null unless the provider has verified it. */
  email: string | null;
  name: string | null;
}

/** Sign-in at the provider. */
export interface Oidc {
  /**
   * Returns where to send the browser; with `isAgain` the provider asks for a new sign-in, even if
   * it knows the person.
   *
   * @throws If the provider cannot be reached.
   */
  begin(redirectUri: string, isAgain: boolean): Promise<{ url: URL; checks: OidcChecks }>;
  /**
   * Finds the person who came back. `url` is the address that the provider sent the browser to.
   *
   * @throws If the answer does not match the request, the provider rejects it, or, with `isAgain`,
   * does not confirm a recent sign-in.
   */
  finish(url: URL, checks: OidcChecks, isAgain: boolean): Promise<OidcIdentity>;
}

const TIMEOUT_S = 10;
/** The largest age of a repeated sign-in at the provider, in seconds. */
const AGAIN_S = 300;

/**
 * Opens sign-in at a provider: the code flow with PKCE, state and nonce. The provider's own
 * settings are read at the first sign-in, and again if that failed: the provider need not be
 * available at the start.
 */
export function openOidc(settings: OidcSettings): Oidc {
  const { issuer, clientId, clientSecret } = settings;
  let found: Promise<Configuration> | undefined;

  function configuration(): Promise<Configuration> {
    const url = new URL(issuer);
    // Without TLS only on this machine: for development, and for tests.
    const isLocal = url.protocol === "http:" && ["localhost", "127.0.0.1"].includes(url.hostname);
    // Without `enableNonRepudiationChecks`, the library does not check the signature of an ID token
    // that came over TLS.
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
        // The provider then has to report when the person signed in.
        ...(isAgain ? { maxAge: AGAIN_S } : {}),
      });
      const claims = tokens.claims();
      if (claims === undefined) {
        throw new Error("Cannot sign in: the provider returned no ID token");
      }
      const person = claims["email"] === undefined && config.serverMetadata().userinfo_endpoint
        ? { ...await fetchUserInfo(config, tokens.access_token, claims.sub) }
        : { ...claims };
      const { email, email_verified: verified, name } = person as Record<string, unknown>;
      // Some providers send it as a string.
      const isVerified = verified === true || verified === "true";
      return {
        ...{ issuer: claims.iss, subject: claims.sub },
        email: isVerified && typeof email === "string" ? email.toLowerCase() : null,
        name: typeof name === "string" && name.trim() !== "" ? name.trim().slice(0, 200) : null,
      };
    },
  };
}
