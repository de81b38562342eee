import type { Fill } from "@posthaste/templating";

/** The longest password of a PDF, in bytes of UTF-8 (ISO 32000-2, 7.6.4.3.3). */
export const MAX_PASSWORD_BYTES = 127;

/** A PDF has no usable password. The message is a reason without the value. */
export class PasswordError extends Error {
  override readonly name = "PasswordError";
}

/**
 * Returns the password in a variable, in the form that readers of PDFs make of what people type: the profile
 * SASLprep (RFC 4013), without its check of right-to-left text.
 *
 * @param path Name of the variable, with those of fields behind points
 * @throws {PasswordError}
 */
export function passwordIn(values: Fill["data"], path: string): string {
  const value = valueAt(values, path);
  const text = typeof value === "number" ? String(value) : value;
  if (text === undefined || text === null || text === "") throw fault(path, "is empty");
  if (typeof text !== "string") throw fault(path, "is neither a text nor a number");
  const password = prepared(text);
  if (password === "") throw fault(path, "is empty");
  if (/\p{C}/u.test(password)) throw fault(path, "has a character that cannot be typed");
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) {
    throw fault(path, `has more than ${MAX_PASSWORD_BYTES} bytes`);
  }
  return password;
}

function valueAt(values: Fill["data"], path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => {
    const isField = typeof value === "object" && value !== null && Object.hasOwn(value, name);
    return isField ? (value as Record<string, unknown>)[name] : undefined;
  }, values);
}

/** Characters that RFC 3454 maps to nothing (table B.1). */
const NOTHING = /[\u00ad\u034f\u1806\u180b-\u180d\u200b-\u200d\u2060\ufe00-\ufe0f\ufeff]/g;

function prepared(text: string): string {
  return text.replace(NOTHING, "").replace(/\p{Zs}/gu, " ").normalize("NFKC");
}

function fault(path: string, reason: string): PasswordError {
  return new PasswordError(`the variable "${path}", the password of the PDF, ${reason}`);
}
