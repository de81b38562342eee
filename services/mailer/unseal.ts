import { createPrivateKey } from "node:crypto";
import { type Integration, isOauthLogin, type ProbeSettings } from "@posthaste/contracts";
import {
  bindPassword,
  INTEGRATION_DKIM_KEY,
  type MasterKeys,
  openSecret,
} from "@posthaste/storage";
import type { DkimSigner } from "./sign_mail.ts";
import type { SmtpIntegration } from "./smtp_integration.ts";

/** Returns the function that opens an integration's secrets: the only place where they are in plain text. */
export function unsealer(keys: MasterKeys): (integration: Integration) => SmtpIntegration {
  const opened = new WeakMap<Integration, SmtpIntegration>();
  return (integration) => {
    const known = opened.get(integration);
    if (known !== undefined) return known;
    const { _id: recordId, maxConnections } = integration;
    const fresh = {
      ...unsealProbe({ ...integration, recordId }, keys),
      maxConnections,
      ...signerOf(integration, keys),
    };
    opened.set(integration, fresh);
    return fresh;
  };
}

/** Opens the password in settings that are tested, stored or not. */
export function unsealProbe(
  settings: Omit<ProbeSettings, "sender"> & { accountId: string },
  keys: MasterKeys,
): SmtpIntegration {
  const { accountId, recordId, host, port, tls, auth, ca, allowInvalidCertificate } = settings;
  const base = {
    ...{ key: recordId, host, port, tls, allowInvalidCertificate },
    ...(ca === null ? {} : { ca }),
  };
  if (auth === null) return { ...base, auth: null };
  if (isOauthLogin(auth)) throw new Error("Logins by access tokens are not supported yet");
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
