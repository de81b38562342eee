import type { OauthLogin, SealedSecret } from "@posthaste/contracts";
import { bindLogin, type BoundIntegration, type MasterKeys, openSecret } from "@posthaste/storage";
import type { OpenedLogin } from "./opened_login.ts";

/**
 * Opens the secrets of a login by access tokens.
 *
 * @throws {MasterKeyMissingError} @throws {Error} If a secret does not open.
 */
export function openLogin(
  login: OauthLogin,
  integration: BoundIntegration,
  keys: MasterKeys,
): OpenedLogin {
  const open = (field: Parameters<typeof bindLogin>[1], secret: SealedSecret) =>
    openSecret(secret, { ...bindLogin(integration, field), keys });
  switch (login.kind) {
    case "oauthClientCredentials":
      return { ...login, clientSecret: open("auth.clientSecret", login.clientSecret) };
    case "oauthRefreshToken": {
      const { clientSecret, refreshToken } = login;
      return {
        ...login,
        clientSecret: clientSecret && open("auth.clientSecret", clientSecret),
        refreshToken: refreshToken && open("auth.refreshToken", refreshToken),
      };
    }
    case "googleServiceAccount":
      return { ...login, privateKey: open("auth.privateKey", login.privateKey) };
  }
}
