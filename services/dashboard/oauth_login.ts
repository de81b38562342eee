import type { IntegrationLogin, OauthLogin } from "@posthaste/contracts";
import { bindLogin, type BoundIntegration, type SealingKey, sealSecret } from "@posthaste/storage";
import { HttpError } from "./http_error.ts";
import type { OauthInput } from "./oauth_input.ts";

/** A login by access tokens, and the secrets that it keeps. */
interface Kept {
  user: string;
  oauth: OauthInput;
  /** The stored login, if its secrets may be used. */
  current: IntegrationLogin | null;
}

/**
 * Returns a login by access tokens: with new secrets, or the stored ones. A refresh token stays only with the
 * client that it was issued to.
 *
 * @throws {HttpError} If a secret is neither given nor stored.
 */
export function oauthLoginOf(
  { user, oauth, current }: Kept,
  sealing: BoundIntegration & { key: SealingKey },
): OauthLogin {
  const seal = (field: Parameters<typeof bindLogin>[1], secret: string) =>
    sealSecret(secret, { ...bindLogin(sealing, field), key: sealing.key });
  switch (oauth.kind) {
    case "oauthClientCredentials": {
      const { kind, tenant, clientId, clientSecret } = oauth;
      const stored = current?.kind === kind ? current.clientSecret : undefined;
      const sealed = clientSecret === undefined ? stored : seal("auth.clientSecret", clientSecret);
      return { kind, user, tenant, clientId, clientSecret: sealed ?? missing("clientSecret") };
    }
    case "oauthRefreshToken": {
      const { kind, provider, tenant, clientId, clientSecret, refreshToken } = oauth;
      // Another provider must not get the secret.
      const stored = current?.kind === kind && current.provider === provider ? current : undefined;
      const isSame = stored?.clientId === clientId && stored.tenant === tenant;
      return {
        ...{ kind, user, provider, tenant, clientId },
        clientSecret: clientSecret === null
          ? null
          : clientSecret !== undefined
          ? seal("auth.clientSecret", clientSecret)
          : stored === undefined
          ? missing("clientSecret")
          : stored.clientSecret,
        refreshToken: refreshToken !== undefined
          ? seal("auth.refreshToken", refreshToken)
          : isSame
          ? stored.refreshToken
          : null,
        consent: refreshToken === undefined && isSame ? stored.consent : null,
      };
    }
    case "googleServiceAccount": {
      const { kind, keyFile } = oauth;
      if (keyFile === undefined) {
        return current?.kind === kind ? { ...current, user } : missing("keyFile");
      }
      const { clientEmail, keyId, privateKey } = keyFile;
      return { kind, user, clientEmail, keyId, privateKey: seal("auth.privateKey", privateKey) };
    }
  }
}

/** Returns whether a login needs no stored secret of an earlier one, but a consent. */
export function bringsSecrets(oauth: OauthInput): boolean {
  return oauth.kind === "googleServiceAccount"
    ? oauth.keyFile !== undefined
    : oauth.clientSecret !== undefined;
}

/** Returns the field whose secret must be entered. */
export function secretFieldOf({ kind }: Pick<OauthInput, "kind">): "keyFile" | "clientSecret" {
  return kind === "googleServiceAccount" ? "keyFile" : "clientSecret";
}

function missing(field: "clientSecret" | "keyFile"): never {
  throw secretMissing(field, "none is stored yet");
}

/** Returns the error for a secret that must be entered. */
export function secretMissing(field: "clientSecret" | "keyFile", reason: string): HttpError {
  const what = field === "keyFile" ? "the key of the service account" : "the client secret";
  return new HttpError("invalid_request", `Enter ${what}: ${reason}`, {
    issues: [{ path: `oauth.${field}`, message: `must be entered: ${reason}` }],
  });
}
