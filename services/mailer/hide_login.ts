import type { SmtpIntegration } from "./smtp_integration.ts";

/** Code and enhanced code of a reply: what the mail's fate hangs on stays as it is. */
const CODES = /^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3})?/;

/**
 * Leaves an integration's password out of what its server said: some repeat the command that they
 * refuse. Replies are kept in the ledger, and shown to whoever may read messages.
 */
export function hideLogin(text: string, auth: SmtpIntegration["auth"]): string {
  if (auth === null) return text;
  const { user, password } = auth;
  const forms = [base64(`\0${user}\0${password}`), base64(password), password];
  return forms.filter((form) => form !== "").reduce((rest, form) => {
    const [codes = ""] = CODES.exec(rest) ?? [];
    return codes + rest.slice(codes.length).replaceAll(form, "[password]");
  }, text);
}

/** Leaves it out of an error about the session, too. */
export function hideLoginIn<E extends Error & { response?: string }>(
  error: E,
  auth: SmtpIntegration["auth"],
): E {
  if (auth === null) return error;
  error.message = hideLogin(error.message, auth);
  if (error.stack !== undefined) error.stack = hideLogin(error.stack, auth);
  if (error.response !== undefined) error.response = hideLogin(error.response, auth);
  return error;
}

function base64(text: string): string {
  // What pads it may be left out, or stand for what follows.
  return Buffer.from(text).toString("base64").replace(/=+$/, "");
}
