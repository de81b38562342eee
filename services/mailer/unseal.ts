import type { Integration } from "@posthaste/contracts";
import { INTEGRATION_PASSWORD, type MasterKeys, openSecret } from "@posthaste/storage";
import type { SmtpIntegration } from "./smtp_integration.ts";

/** Makes what opens an integration's password: the only place where it is in the clear. */
export function unsealer(keys: MasterKeys): (integration: Integration) => SmtpIntegration {
  const opened = new WeakMap<Integration, SmtpIntegration>();
  return (integration) => {
    const known = opened.get(integration);
    if (known !== undefined) return known;
    const fresh = unseal(integration, keys);
    opened.set(integration, fresh);
    return fresh;
  };
}

function unseal(integration: Integration, keys: MasterKeys): SmtpIntegration {
  const { _id, accountId, host, port, tls, auth, maxConnections } = integration;
  const { ca, allowInvalidCertificate } = integration;
  const base = {
    ...{ key: _id, host, port, tls, maxConnections, allowInvalidCertificate },
    ...(ca === null ? {} : { ca }),
  };
  if (auth === null) return { ...base, auth: null };
  const binding = { accountId, recordId: _id, field: INTEGRATION_PASSWORD };
  const password = openSecret(auth.password, { ...binding, keys });
  const method = auth.method === null ? {} : { method: auth.method };
  return { ...base, auth: { user: auth.user, password, ...method } };
}
