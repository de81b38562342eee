import type { Integration, IntegrationLogin } from "@posthaste/contracts";
import {
  bindLogin,
  type MasterKeys,
  sealingKeyOf,
  sealSecret,
  type StorePart,
} from "@posthaste/storage";
import type { OpenedLogin } from "./opened_login.ts";
import type { IssuedToken } from "./read_token_answer.ts";

/** A provider's answer, and the login that it was given for. */
export interface UsedRefreshToken {
  integration: Pick<Integration, "accountId" | "id" | "host" | "port">;
  /** As it is stored. */
  auth: IntegrationLogin;
  opened: OpenedLogin;
  issued: IssuedToken;
}

/**
 * Stores the refresh token by which a provider replaced the one that was used, if it did. Returns false if the
 * stored one is another one meanwhile: that one stays.
 */
export async function keepRefreshToken(
  { integration, auth, opened, issued: { refreshToken } }: UsedRefreshToken,
  { integrations: { replaceRefreshToken }, keys }:
    & StorePart<"integrations.replaceRefreshToken">
    & { keys: MasterKeys },
): Promise<boolean> {
  if (auth.kind !== "oauthRefreshToken" || opened.kind !== auth.kind) return true;
  const { refreshToken: from } = auth;
  if (refreshToken === undefined || from === null || refreshToken === opened.refreshToken) {
    return true;
  }
  const { accountId, id } = integration;
  const binding = bindLogin(
    { ...integration, recordId: `${accountId}/${id}` },
    "auth.refreshToken",
  );
  const to = sealSecret(refreshToken, { ...binding, key: sealingKeyOf(keys) });
  return await replaceRefreshToken(accountId, id, { from, to });
}
