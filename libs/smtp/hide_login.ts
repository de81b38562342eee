import { Buffer } from "node:buffer";
import { bearerResponse, BY_TOKEN } from "./_bearer_response.ts";

/** Code and enhanced code of a reply. They decide the mail's result and stay as they are. */
const CODES = /^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3})?/;

/**
 * Returns a function that removes a password from a server's replies: some servers repeat the command that
 * they refuse. Replies are stored, and shown to people.
 */
export function loginHider(
  login: { readonly user: string; readonly password: string } | null,
): (text: string) => string {
  if (login === null) return (text) => text;
  const { user, password } = login;
  const forms = [
    base64(`\0${user}\0${password}`),
    ...BY_TOKEN.map((method) => withoutPadding(bearerResponse(method, login))),
    base64(password),
    password,
  ].filter((form) => form !== "");
  return (text) => {
    if (!forms.some((form) => text.includes(form))) return text;
    return forms.reduce((rest, form) => {
      const [codes = ""] = CODES.exec(rest) ?? [];
      return codes + rest.slice(codes.length).replaceAll(form, "[password]");
    }, text);
  };
}

function base64(text: string): string {
  return withoutPadding(Buffer.from(text).toString("base64"));
}

/** Padding may be missing, or differ with the text that follows. */
function withoutPadding(text: string): string {
  return text.replace(/=+$/, "");
}
