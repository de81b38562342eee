import { type Integration, isOauthLogin } from "@posthaste/contracts";
import type { IntegrationSettings, SealAuth } from "@posthaste/storage";
import { askPassword } from "./ask_password.ts";
import type { CommandContext } from "./command_context.ts";
import { usageError } from "./command_error.ts";
import { readSealingKeyFor } from "./read_keys.ts";
import type { IntegrationOptions } from "./integration_options.ts";

/** Returns the new login of an integration: `undefined` keeps it, `null` removes it. */
export async function changeAuth(
  context: CommandContext,
  { current, settings }: { current: Integration; settings: Partial<IntegrationSettings> },
  options: IntegrationOptions,
): Promise<SealAuth | null | undefined> {
  const { login, user, newPassword, passwordStdin, authMethod } = options;
  const asksPassword = user !== undefined || newPassword || passwordStdin;
  if (login === false) {
    if (asksPassword || authMethod) {
      throw usageError("Cannot combine --no-login with a login: drop --no-login");
    }
    return null;
  }
  const { accountId, host, port } = { ...current, ...settings };
  if (!asksPassword && current.auth !== null && (host !== current.host || port !== current.port)) {
    throw usageError(
      `Cannot change the server: the password is sealed for "${current.host}:${current.port}"`,
      "add --new-password or --password-stdin, or --no-login",
    );
  }
  if (!asksPassword && authMethod === undefined) return undefined;
  if (current.auth === null && user === undefined) {
    throw usageError("Cannot log in without a user: --user is missing");
  }
  if (asksPassword) {
    return await sealAuth(context, { accountId, host, port }, {
      ...options,
      user: user ?? current.auth?.user ?? "",
    });
  }
  return (_recordId, auth) => {
    if (auth === null) throw usageError("Cannot log in without a user: --user is missing");
    if (isOauthLogin(auth)) {
      throw usageError("Cannot choose --auth-method: the integration logs in by access tokens");
    }
    return { ...auth, method: authMethod ?? auth.method };
  };
}

/** Asks for the password, and returns what seals it for a record. */
export async function sealAuth(
  context: CommandContext,
  { accountId, host, port }: Pick<Integration, "accountId" | "host" | "port">,
  { user = "", authMethod }: IntegrationOptions,
): Promise<SealAuth> {
  const { stdin, stderr } = context;
  const { bindPassword, sealSecret } = await import("@posthaste/storage");
  // Before the question, so that no password is typed in vain.
  const key = await readSealingKeyFor(context);
  const password = await askPassword({ stdin, stderr, question: `Password of "${user}"` });
  return (recordId, current) => ({
    user,
    method: authMethod ?? (current?.kind === "password" ? current.method : null),
    password: sealSecret(password, {
      ...bindPassword({ accountId, recordId, host, port }),
      key,
    }),
  });
}
