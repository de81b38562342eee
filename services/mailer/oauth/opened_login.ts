import type { OauthLogin } from "@posthaste/contracts";

type Of<Kind extends OauthLogin["kind"]> = Extract<OauthLogin, { kind: Kind }>;

/** A login by access tokens, its secrets opened. */
export type OpenedLogin =
  | Omit<Of<"oauthClientCredentials">, "clientSecret"> & { clientSecret: string }
  | Omit<Of<"oauthRefreshToken">, "clientSecret" | "refreshToken" | "consent"> & {
    clientSecret: string | null;
    /** Null before the consent. */
    refreshToken: string | null;
  }
  | Omit<Of<"googleServiceAccount">, "privateKey"> & { privateKey: string };

/** Returns the provider whose token endpoint a login uses. */
export function providerOf(
  login: Pick<OpenedLogin, "kind"> | { provider: "microsoft" | "google" },
) {
  if ("provider" in login) return login.provider;
  return login.kind === "googleServiceAccount" ? "google" : "microsoft";
}
