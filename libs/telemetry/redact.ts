import { maskText } from "./mask_text.ts";

/** Replaces a value that must not be logged. */
const REDACTED = "[redacted]";

/** A field whose name contains one of these words is never logged, at any depth. */
const SECRET_WORDS: ReadonlySet<string> = new Set([
  "apikey",
  "auth",
  "authorization",
  "bcc",
  "body",
  "cc",
  "cookie",
  "cookies",
  "credential",
  "credentials",
  "email",
  "emails",
  "html",
  "pass",
  "passphrase",
  "passwd",
  "password",
  "passwords",
  "recipient",
  "recipients",
  "secret",
  "secrets",
  "subject",
  "text",
  "to",
  "token",
  "tokens",
  "variables",
]);

/** A name with this ending describes a secret thing without containing it: `htmlBytes`, `tokenId`. */
const HARMLESS_ENDINGS: ReadonlySet<string> = new Set([
  "bytes",
  "count",
  "id",
  "ids",
  "length",
  "ms",
  "size",
  "type",
]);

const LIMITS = { depth: 8, items: 100, text: 8192, names: 2000 } as const;

const decided = new Map<string, boolean>();

/**
 * Returns a value that is safe for a log line. Fields with a secret or personal name become `[redacted]`,
 * addresses inside text are masked, errors become plain objects, and values that are too deep, too long or
 * cyclic are cut.
 */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return redactText(value);
  if (typeof value === "bigint" || typeof value === "symbol") return String(value);
  if (typeof value === "function") return "[function]";
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth >= LIMITS.depth) return "[too deep]";
  if (value instanceof Error) return redactError(value, depth);
  if (Array.isArray(value)) return redactList(value, depth);
  if (value instanceof Set) return redactList([...value], depth);
  if (value instanceof Map) return redactFields(Object.fromEntries(value), depth);
  return redactFields(value as Record<string, unknown>, depth);
}

/** Returns whether a field of this name may contain a secret or personal value. */
export function isSecretName(name: string): boolean {
  let secret = decided.get(name);
  if (secret === undefined) {
    secret = decideName(name);
    if (decided.size < LIMITS.names) decided.set(name, secret);
  }
  return secret;
}

function decideName(name: string): boolean {
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-z0-9]+/);
  if (words.length > 1 && HARMLESS_ENDINGS.has(words.at(-1) ?? "")) return false;
  return words.some((word, i) =>
    SECRET_WORDS.has(word) ||
    (word === "key" && ["api", "private", "master"].includes(words[i - 1] ?? ""))
  );
}

function redactText(text: string): string {
  if (text.length <= LIMITS.text) return maskText(text);
  return `${maskText(text.slice(0, LIMITS.text))}… [${text.length} characters]`;
}

function redactList(list: unknown[], depth: number): unknown[] {
  const items = list.slice(0, LIMITS.items).map((item) => redact(item, depth + 1));
  if (list.length > LIMITS.items) items.push(`[${list.length - LIMITS.items} more]`);
  return items;
}

function redactFields(fields: Record<string, unknown>, depth: number): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    result[name] = isSecretName(name) && value !== null ? REDACTED : redact(value, depth + 1);
  }
  return result;
}

function redactError(error: Error, depth: number): Record<string, unknown> {
  const { code, cause } = error as Error & { code?: unknown };
  const result: Record<string, unknown> = {
    type: error.name,
    message: redactText(error.message),
  };
  if (typeof code === "string" || typeof code === "number") result["code"] = code;
  if (error.stack !== undefined) result["stack"] = redactText(error.stack);
  if (error instanceof AggregateError) result["errors"] = redactList(error.errors, depth + 1);
  if (cause !== undefined) result["cause"] = redact(cause, depth + 1);
  return result;
}
