import { randomBytes } from "node:crypto";
import type { Integration, IntegrationLogin, ProbeSettings } from "@posthaste/contracts";
import { bindPassword, type SealAuth, type SealingKey, sealSecret } from "@posthaste/storage";
import type { IntegrationInputData, ProbeInputData } from "./integration_input.ts";
import { HttpError } from "./http_error.ts";
import { bringsSecrets, oauthLoginOf, secretFieldOf, secretMissing } from "./oauth_login.ts";

type Login = Pick<
  IntegrationInputData,
  "host" | "port" | "user" | "authMethod" | "password" | "oauth"
>;
type Server = Pick<
  IntegrationInputData,
  "host" | "port" | "tls" | "ca" | "allowInvalidCertificate" | "user"
>;

/**
 * Returns the credentials of an integration: with new secrets, or with the stored ones.
 *
 * @param options `isMoved`: the mail goes to another server, which must not get what is stored.
 */
export function loginOf(
  input: Login,
  { accountId, sealingKey: key, isMoved = false }: {
    accountId: string;
    sealingKey: SealingKey;
    isMoved?: boolean;
  },
): SealAuth | null {
  if (input.user === null) return null;
  return (recordId, current) =>
    sealedLogin(input, { accountId, recordId, key, current: isMoved ? null : current });
}

interface Sealing {
  accountId: string;
  recordId: string;
  key: SealingKey;
  /** The login whose secrets may be used. */
  current: IntegrationLogin | null;
}

function sealedLogin(
  { host, port, user, authMethod: method, password, oauth }: Login,
  { current, ...sealing }: Sealing,
): IntegrationLogin {
  const name = user ?? "";
  const bound = { ...sealing, host, port };
  if (oauth) return oauthLoginOf({ user: name, oauth, current }, bound);
  if (password !== undefined) {
    const sealed = sealSecret(password, { ...bindPassword(bound), key: sealing.key });
    return { kind: "password", user: name, method, password: sealed };
  }
  // From a caller that does not know the other kinds of login.
  if (oauth === undefined && current !== null && current.kind !== "password") {
    return { ...current, user: name };
  }
  if (current?.kind !== "password") throw passwordMissing("no password is stored yet");
  return { ...current, user: name, method };
}

/**
 * Refuses to use a stored secret with another server, another user or weaker protection:
 * otherwise an editor of integrations could have it sent to a host of their own, and read it there.
 *
 * @throws {HttpError} If the secret has to be entered again.
 */
export function checkSecretStays(
  current: Integration,
  input: Server & Pick<Login, "password" | "oauth">,
): void {
  const { password, oauth = undefined, user } = input;
  if (user === null || current.auth === null || !pointsElsewhere(current, input)) return;
  const reason = "server, user or encryption changed";
  if (oauth) {
    if (!bringsSecrets(oauth)) throw secretMissing(secretFieldOf(oauth), reason);
  } else if (password === undefined) {
    const { kind } = current.auth;
    if (oauth === null || kind === "password") throw passwordMissing(reason);
    throw secretMissing(secretFieldOf({ kind }), reason);
  }
}

/** Returns whether mail would go to another server, as another user, or with weaker protection. */
export function pointsElsewhere(current: Integration, input: Server): boolean {
  return current.host !== input.host || current.port !== input.port ||
    current.tls !== input.tls || current.ca !== input.ca ||
    (current.auth?.user ?? null) !== input.user ||
    (input.allowInvalidCertificate && !current.allowInvalidCertificate);
}

/**
 * Returns whether certificates would no longer be checked. An exception for one server does not
 * apply to another.
 */
export function skipsCertificate(
  { host, port, allowInvalidCertificate }: Pick<
    Server,
    "host" | "port" | "allowInvalidCertificate"
  >,
  current: Integration | null,
): boolean {
  return allowInvalidCertificate &&
    !(current?.allowInvalidCertificate && current.host === host && current.port === port);
}

/**
 * Returns what the mailer needs to test a server. A password that is not stored is sealed for this
 * test only.
 */
export function probeSettingsOf(
  { settings, sender }: ProbeInputData,
  { stored, accountId, sealingKey: key }: {
    stored: Integration | null;
    accountId: string;
    sealingKey: SealingKey;
  },
): ProbeSettings {
  const { host, port, tls, ca, allowInvalidCertificate, user } = settings;
  const server = { host, port, tls, ca, allowInvalidCertificate, ...(sender ? { sender } : {}) };
  const unstored = `${accountId}/probe-${randomBytes(12).toString("hex")}`;
  if (user === null) return { ...server, auth: null, recordId: unstored };
  if (bringsOwn(settings)) {
    const auth = sealedLogin(settings, { accountId, recordId: unstored, key, current: null });
    return { ...server, auth, recordId: unstored };
  }
  if (stored === null || stored.auth === null) throw notStored(settings);
  checkSecretStays(stored, settings);
  const recordId = stored._id;
  const current = pointsElsewhere(stored, settings) ? null : stored.auth;
  const auth = sealedLogin(settings, { accountId, recordId, key, current });
  return { ...server, auth, recordId };
}

/** Returns whether a login has all its secrets itself. */
function bringsOwn({ password, oauth }: Pick<Login, "password" | "oauth">): boolean {
  if (!oauth) return password !== undefined;
  return bringsSecrets(oauth) &&
    (oauth.kind !== "oauthRefreshToken" || oauth.refreshToken !== undefined);
}

function notStored({ oauth }: Pick<Login, "oauth">): HttpError {
  return oauth
    ? secretMissing(secretFieldOf(oauth), "none is stored")
    : passwordMissing("no password is stored");
}

function passwordMissing(reason: string): HttpError {
  return new HttpError("invalid_request", `Enter the password: ${reason}`, {
    issues: [{ path: "password", message: `must be entered: ${reason}` }],
  });
}
