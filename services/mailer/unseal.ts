import { createPrivateKey } from "node:crypto";
import {
  type Integration,
  isOauthLogin,
  oauthLoginViewOf,
  type ProbeSettings,
} from "@posthaste/contracts";
import {
  bindPassword,
  INTEGRATION_DKIM_KEY,
  type MasterKeys,
  openSecret,
} from "@posthaste/storage";
import type { AccessTokens } from "./oauth/access_tokens.ts";
import { openLogin } from "./oauth/open_login.ts";
import { type OpenedLogin, providerOf } from "./oauth/opened_login.ts";
import type { TokenSource } from "./oauth/token_source.ts";
import type { DkimSigner } from "./sign_headers.ts";
import type { SmtpIntegration } from "./smtp_integration.ts";

/** Returns the function that opens an integration's secrets: the only place where they are in plain text. */
export function unsealer(
  keys: MasterKeys,
  accessTokens: AccessTokens,
): (integration: Integration) => SmtpIntegration {
  const opened = new WeakMap<Integration, SmtpIntegration>();
  return (integration) => {
    const known = opened.get(integration);
    if (known !== undefined) return known;
    const { _id: recordId, maxConnections } = integration;
    const fresh = {
      ...unsealSettings({ ...integration, recordId }, keys, () => {
        const id = JSON.stringify(oauthLoginViewOf(integration.auth));
        return {
          id,
          get: () => accessTokens.get(integration),
          replace: (refusedId) => accessTokens.replace(integration, refusedId),
        };
      }),
      maxConnections,
      ...signerOf(integration, keys),
    };
    opened.set(integration, fresh);
    return fresh;
  };
}

/** Opens the secrets in settings. @param sourceOf Returns the source of access tokens for a login. */
export function unsealSettings(
  settings: Omit<ProbeSettings, "sender"> & { accountId: string },
  keys: MasterKeys,
  sourceOf: (opened: OpenedLogin) => TokenSource,
): SmtpIntegration {
  const { accountId, recordId, host, port, tls, auth, ca, allowInvalidCertificate } = settings;
  const base = {
    ...{ key: recordId, owner: accountId, host, port, tls, allowInvalidCertificate },
    ...(ca === null ? {} : { ca }),
  };
  if (auth === null) return { ...base, auth: null };
  if (isOauthLogin(auth)) {
    // Also for a source that does not need it: a secret that does not open is noticed before a mail.
    const opened = openLogin(auth, settings, keys);
    const { user, kind } = auth;
    const provider = providerOf(opened);
    return { ...base, auth: { user, kind, provider, tokens: sourceOf(opened) } };
  }
  const binding = bindPassword({ accountId, recordId, host, port });
  const password = openSecret(auth.password, { ...binding, keys });
  const method = auth.method === null ? {} : { method: auth.method };
  return { ...base, auth: { user: auth.user, password, ...method } };
}

function signerOf({ _id, accountId, dkim }: Integration, keys: MasterKeys): { dkim?: DkimSigner } {
  if (dkim === null || !dkim.enabled) return {};
  const { domain, selector, privateKey } = dkim;
  const binding = { accountId, recordId: _id, field: INTEGRATION_DKIM_KEY };
  const pem = openSecret(privateKey, { ...binding, keys });
  return { dkim: { domain, selector, privateKey: createPrivateKey(pem) } };
}
