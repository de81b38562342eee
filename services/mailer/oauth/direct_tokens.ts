import type { ProbeSettings } from "@posthaste/contracts";
import type { MasterKeys, StorePart } from "@posthaste/storage";
import { fetchToken, type TokenClient } from "./fetch_token.ts";
import { keepRefreshToken } from "./keep_refresh_token.ts";
import type { OpenedLogin } from "./opened_login.ts";
import type { TokenSource } from "./token_source.ts";

/** The dependencies of {@linkcode directTokens}. */
export type DirectTokensDeps =
  & StorePart<"integrations.replaceRefreshToken">
  & {
    keys: MasterKeys;
    tokenClient: TokenClient;
  };

/** A test waits less long. */
const TIMEOUT_MS = 8000;

/** Returns tokens for a test, which the provider issues each time: a stored one would hide what is wrong. */
export function directTokens(
  settings: Pick<ProbeSettings, "auth" | "recordId" | "host" | "port"> & { accountId: string },
  opened: OpenedLogin,
  { tokenClient, ...deps }: DirectTokensDeps,
): TokenSource {
  const { auth, recordId, accountId, host, port } = settings;
  // Settings that are not stored have no number.
  const id = Number(recordId.slice(accountId.length + 1));
  return {
    id: recordId,
    async get() {
      const issued = await fetchToken(opened, { ...tokenClient, timeoutMs: TIMEOUT_MS });
      if (auth !== null && id > 0) {
        const integration = { accountId, id, host, port };
        await keepRefreshToken({ integration, auth, opened, issued }, deps);
      }
      return { id: recordId, token: issued.accessToken };
    },
    replace: () => Promise.resolve(undefined),
  };
}
