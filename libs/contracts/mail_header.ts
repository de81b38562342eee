import { z } from "zod";
import { faultParams, type IssueCode } from "./issue_code.ts";
import { withoutControls } from "./mailbox.ts";
import { utf8Bytes } from "./_utf8_bytes.ts";

/** The most headers that a send and a recipient together may add to a mail. */
export const MAX_HEADERS = 20;

/** The most bytes of UTF-8 in the names and values of these headers together. */
export const MAX_HEADER_BYTES = 4096;

/** The longest part of a header without a blank, in bytes: a line may have 998 (RFC 5322, 2.1.1). */
const MAX_HEADER_WORD_BYTES = 900;

/** Headers besides `X-…` that a mail may get, in lower case. Their values have a syntax of their own. */
const ALLOWED: ReadonlySet<string> = new Set([
  ...["references", "in-reply-to", "list-id", "list-help", "feedback-id"],
  ...["auto-submitted", "precedence", "importance"],
]);

/** Headers by which a provider takes further recipients or settings, in lower case. */
const RESERVED: ReadonlySet<string> = new Set([
  ...["x-smtpapi", "x-mc-bccaddress", "x-msys-api"],
]);

/** The fault of too many headers. */
export const TOO_MANY_HEADERS = {
  code: "too_many",
  message: `must not have more than ${MAX_HEADERS} headers`,
} as const;

/** The fault of headers that are too long. */
export const TOO_LONG_HEADERS = {
  code: "too_long",
  message: `must not have more than ${MAX_HEADER_BYTES} bytes in names and values together`,
} as const;

/** Headers of a request. An empty value removes the header of the same name. */
export type GivenHeaders = Record<string, string>;

/** Returns whether a mail may get a header of this name. */
export function isAllowedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  if (ALLOWED.has(lower)) return true;
  return /^x-[a-z0-9_-]{1,60}$/.test(lower) && !lower.startsWith("x-posthaste-") &&
    !RESERVED.has(lower);
}

/** Returns the number of bytes in the names and values of headers. */
export function headerBytes(headers: GivenHeaders): number {
  return Object.entries(headers).reduce(
    (sum, [name, value]) => sum + name.length + utf8Bytes(value),
    0,
  );
}

/** Merges the headers of a recipient into those of the send, by name, regardless of case. */
export function mergeHeaders(top: GivenHeaders = {}, own: GivenHeaders = {}): GivenHeaders {
  const merged = new Map<string, [name: string, value: string]>();
  for (const [name, value] of [...Object.entries(top), ...Object.entries(own)]) {
    merged.set(name.toLowerCase(), [name, value]);
  }
  return Object.fromEntries(merged.values().filter(([, value]) => value !== ""));
}

/** Schema of the headers that a send or a recipient adds to a mail. */
export const headersSchema = z.record(z.string(), withoutControls(z.string())).check(
  ({ value, issues }) => {
    for (const { code, message, name } of faultsOf(value)) {
      const { params } = faultParams(code, message);
      const path = name === undefined ? [] : [name];
      issues.push({ code: "custom", message, path, params, input: value });
    }
  },
);

interface HeaderFault {
  code: IssueCode;
  message: string;
  /** Missing if the fault concerns all headers. */
  name?: string;
}

function faultsOf(headers: GivenHeaders): HeaderFault[] {
  const names = Object.keys(headers);
  if (names.length > MAX_HEADERS) return [TOO_MANY_HEADERS];
  // Of longer ones nothing else is read: they may have millions of words.
  if (headerBytes(headers) > MAX_HEADER_BYTES) return [TOO_LONG_HEADERS];
  return names.flatMap((name, at) => {
    const lower = name.toLowerCase();
    const isRepeated = names.slice(0, at).some((other) => other.toLowerCase() === lower);
    const fault = faultOf(lower, { value: headers[name] ?? "", isRepeated });
    return fault === undefined ? [] : [{ ...fault, name }];
  });
}

function faultOf(
  lower: string,
  { value, isRepeated }: { value: string; isRepeated: boolean },
): HeaderFault | undefined {
  if (!isAllowedHeader(lower)) {
    return { code: "header_not_allowed", message: "is not a header that may be set" };
  }
  if (isRepeated) return { code: "repeated_field", message: "is given twice" };
  const message = valueFault(lower, value);
  return message === undefined ? undefined : { code: "bad_characters", message };
}

function valueFault(lower: string, value: string): string | undefined {
  if (/^\s|\s$/.test(value)) return "must not begin or end with blanks";
  const words = value.split(" ");
  if (words.some((word) => utf8Bytes(word) > MAX_HEADER_WORD_BYTES)) {
    return `must not have more than ${MAX_HEADER_WORD_BYTES} bytes without a blank`;
  }
  if (ALLOWED.has(lower) && /[^\x20-\x7e]/.test(value)) return "must be ASCII";
  return undefined;
}
