import { z } from "zod";
import { addressFault } from "./email_address.ts";
import { faultParams } from "./issue_code.ts";

/**
 * The longest address of a page or mailbox to unsubscribe at, in characters. It fits on one line of a header.
 */
const MAX_UNSUBSCRIBE_LENGTH = 800;

/** Characters with a special meaning between the angle brackets of the header, and those beyond ASCII. */
const NOT_IN_HEADER = /[^\x21-\x7e]|[<>,"\\]/;

const textSchema = z.string()
  .max(MAX_UNSUBSCRIBE_LENGTH, { error: `must not exceed ${MAX_UNSUBSCRIBE_LENGTH} characters` })
  .refine(
    (text) => !NOT_IN_HEADER.test(text),
    faultParams("bad_characters", 'must be ASCII without blanks and without < > , " \\'),
  );

const URL_FAULT = "must be an http or https URL";
const MAILTO_FAULT = "must be an address, which ?subject=… may follow";

/** How the recipient of a mail unsubscribes. */
export interface ListUnsubscribe {
  url?: string | undefined;
  mailto?: string | undefined;
  oneClick?: boolean | undefined;
}

const givenSchema = z.strictObject({
  url: textSchema.refine(isWebUrl, faultParams("wrong_type", URL_FAULT)).optional(),
  /** An address, without `mailto:`. */
  mailto: textSchema.refine(isMailto, faultParams("bad_address", MAILTO_FAULT)).optional(),
  /** Whether a POST to `url` unsubscribes (RFC 8058). @default with `url`, true */
  oneClick: z.boolean().optional(),
}).refine(
  ({ url, mailto }) => url !== undefined || mailto !== undefined,
  faultParams("required", "must have a url or a mailto"),
).refine(
  (given) => !isOneClick(given) || given.url?.startsWith("https://") === true,
  faultParams("wrong_type", "must have an https url, or oneClick must be false"),
);

/** Schema of how recipients unsubscribe. An empty text removes the send's value. */
export const listUnsubscribeSchema = z.union([givenSchema, z.literal("")], {
  error: 'must be an object with url or mailto, or ""',
});

/** Returns whether mail programs may unsubscribe with one click (RFC 8058). */
export function isOneClick({ url, oneClick }: ListUnsubscribe): boolean {
  return oneClick ?? url !== undefined;
}

function isWebUrl(text: string): boolean {
  const { protocol, username } = URL.parse(text) ?? {};
  return /^https?:\/\//.test(text) && (protocol === "https:" || protocol === "http:") &&
    username === "";
}

function isMailto(text: string): boolean {
  const [address = ""] = text.split("?");
  return addressFault(address) === undefined;
}
