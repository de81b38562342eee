import { randomBytes } from "node:crypto";
import type { Integration, ProbeSettings } from "@posthaste/contracts";
import { bindPassword, type SealAuth, type SealingKey, sealSecret } from "@posthaste/storage";
import type { IntegrationInputData, ProbeInputData } from "./integration_input.ts";
import { HttpError } from "./http_error.ts";

type Login = Pick<IntegrationInputData, "host" | "port" | "user" | "authMethod" | "password">;
type Server = Pick<
  IntegrationInputData,
  "host" | "port" | "tls" | "ca" | "allowInvalidCertificate" | "user"
>;

/** Returns the credentials of an integration: with a new password, or with the stored one. */
export function loginOf(
  { host, port, user, authMethod: method, password }: Login,
  { accountId, sealingKey: key }: { accountId: string; sealingKey: SealingKey },
): SealAuth | null {
  if (user === null) return null;
  return (recordId, current) => {
    if (password === undefined) {
      if (current === null) throw passwordMissing("no password is stored yet");
      return { user, method, password: current.password };
    }
    const binding = bindPassword({ accountId, recordId, host, port });
    return { user, method, password: sealSecret(password, { ...binding, key }) };
  };
}

/**
 * Refuses to use a stored password with another server, another user or weaker protection:
 * otherwise an editor of integrations could have it sent to a host of their own, and read it there.
 *
 * @throws {HttpError} If the password has to be entered again.
 */
export function checkPasswordStays(
  current: Integration,
  input: Server & Pick<Login, "password">,
): void {
  if (input.password !== undefined || input.user === null || current.auth === null) return;
  if (pointsElsewhere(current, input)) {
    throw passwordMissing("server, user or encryption changed");
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
  const { host, port, tls, ca, allowInvalidCertificate, user, authMethod: method } = settings;
  const server = { host, port, tls, ca, allowInvalidCertificate, ...(sender ? { sender } : {}) };
  const recordId = `${accountId}/probe-${randomBytes(12).toString("hex")}`;
  if (user === null) return { ...server, auth: null, recordId };
  if (settings.password !== undefined) {
    const binding = bindPassword({ accountId, recordId, host, port });
    const password = sealSecret(settings.password, { ...binding, key });
    return { ...server, auth: { user, method, password }, recordId };
  }
  if (stored === null || stored.auth === null) throw passwordMissing("no password is stored");
  checkPasswordStays(stored, settings);
  const { password } = stored.auth;
  return { ...server, auth: { user, method, password }, recordId: stored._id };
}

function passwordMissing(reason: string): HttpError {
  return new HttpError("invalid_request", `Enter the password: ${reason}`, {
    issues: [{ path: "password", message: `must be entered: ${reason}` }],
  });
}
