import { type Integration, isOauthLogin, oauthLoginViewOf } from "@posthaste/contracts";

/** Returns the visible fields of an integration: never the password or the key, not even sealed. */
export function integrationViewOf({ _id, auth, dkim, ...rest }: Integration) {
  const { privateKey: _, ...signing } = dkim ?? {};
  return {
    ...rest,
    auth: auth === null
      ? null
      : auth.kind === "password"
      ? { user: auth.user, method: auth.method }
      : { user: auth.user, ...oauthLoginViewOf(auth) },
    dkim: dkim === null ? null : signing,
  };
}

/** Describes an integration on one line. */
export function describeIntegration({ name, host, port, tls, auth, ...rest }: Integration): string {
  const encryption = tls === "none" ? "no encryption" : tls === "implicit" ? "TLS" : "STARTTLS";
  const login = auth === null
    ? "no login"
    : `as "${auth.user}"${isOauthLogin(auth) ? " by access tokens" : ""}`;
  const certificate = rest.allowInvalidCertificate
    ? ", ANY CERTIFICATE"
    : rest.ca === null
    ? ""
    : ", own CA";
  return `"${name}": ${host}:${port}, ${encryption}${certificate}, ${login}`;
}
