import type { OauthInput, OauthLoginView } from "../../../../interface/integrations.ts";

/** Ways to log in that the form offers. */
export type LoginChoice = "password" | OauthInput["kind"];

/** What the form has of a login by access tokens, as typed. Secrets are empty: stored ones are not shown. */
export interface OauthValues {
  login: LoginChoice;
  provider: "microsoft" | "google";
  tenant: string;
  clientId: string;
  clientSecret: string;
  /** Whether the client has a secret. Clients of desktop apps have none. */
  hasClientSecret: boolean;
  /** The JSON file of a service account's key. */
  keyFile: string;
}

/** The initial values. */
export const NEW_OAUTH: OauthValues = {
  ...{ login: "password", provider: "microsoft", tenant: "", clientId: "", clientSecret: "" },
  ...{ hasClientSecret: true, keyFile: "" },
};

/** Converts a stored login to the form's values. */
export function oauthValuesOf(oauth: OauthLoginView | null): OauthValues {
  switch (oauth?.kind) {
    case undefined:
      return NEW_OAUTH;
    case "oauthClientCredentials": {
      const { kind, tenant, clientId } = oauth;
      return { ...NEW_OAUTH, login: kind, tenant, clientId };
    }
    case "oauthRefreshToken": {
      const { kind, provider, tenant, clientId, hasClientSecret } = oauth;
      const given = { provider, tenant: tenant ?? "", clientId, hasClientSecret };
      return { ...NEW_OAUTH, login: kind, ...given };
    }
    case "googleServiceAccount":
      return { ...NEW_OAUTH, login: oauth.kind, provider: "google" };
  }
}

/** Converts the form's values to the interface's input; null for a login by password. */
export function oauthInputOf(values: OauthValues): OauthInput | null {
  const { login: kind, provider, tenant, clientId, clientSecret, hasClientSecret } = values;
  const secret = clientSecret === "" ? {} : { clientSecret };
  switch (kind) {
    case "password":
      return null;
    case "oauthClientCredentials":
      return { kind, tenant, clientId, ...secret };
    case "oauthRefreshToken": {
      const ofProvider = { provider, tenant: provider === "microsoft" ? tenant : null };
      const own = hasClientSecret ? secret : { clientSecret: null };
      return { kind, ...ofProvider, clientId, ...own };
    }
    case "googleServiceAccount": {
      const { keyFile } = values;
      return { kind, ...(keyFile.trim() === "" ? {} : { keyFile }) };
    }
  }
}

/** Returns whether a secret for a choice is stored, so that the form need not require it. */
export function hasSecretFor(
  { login }: Pick<OauthValues, "login">,
  { oauth, hasPassword }: { oauth: OauthLoginView | null; hasPassword: boolean },
): boolean {
  if (login === "password") return hasPassword;
  if (oauth?.kind !== login) return false;
  return oauth.kind !== "oauthRefreshToken" || oauth.hasClientSecret;
}
