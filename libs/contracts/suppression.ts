import { z } from "zod";
import { smtpReplySchema } from "./documents.ts";
import { emailAddressSchema } from "./email_address.ts";
import { FILTER_TIME } from "./message_filters.ts";

/** Why an address gets no mail. `complaint` is reserved: nothing gives it yet. */
export const SUPPRESSION_REASONS = ["hard_refusal", "manual", "import", "complaint"] as const;

/** Why an address gets no mail. */
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

/** An address that an account sends no mail to. */
const suppressionSchema = z.object({
  /** `<account>/<SHA-256 of the account and the address, in hex>` */
  _id: z.string(),
  accountId: z.string(),
  /** In lower case. Missing once the person is forgotten: the entry still applies. */
  email: z.string().optional(),
  reason: z.enum(SUPPRESSION_REASONS),
  /** Codes of the server's reply, for `hard_refusal`. */
  reply: smtpReplySchema.pick({ code: true, enhanced: true }).optional(),
  /** The message whose recipient was refused. */
  messageId: z.string().optional(),
  at: z.date(),
  /** When it ends; missing if it does not. */
  expiresAt: z.date().optional(),
});

/** An address that an account sends no mail to. */
export type Suppression = z.infer<typeof suppressionSchema>;

/**
 * Enhanced codes that say that a mailbox does not exist (RFC 3463, section 3.2; RFC 7505): it does not exist,
 * its address is not valid, it has moved, or its domain takes no mail. Not 5.1.2, which a relay with broken
 * DNS gives for every address of a domain; not 5.2.1 and 5.2.2, whose mailbox exists; nothing about policy.
 */
const NO_MAILBOX: ReadonlySet<string> = new Set(["5.1.1", "5.1.3", "5.1.6", "5.1.10"]);

/** Returns whether a reply to RCPT says that the mailbox does not exist. */
export function isNoMailbox(
  { code, enhanced }: { code?: number | undefined; enhanced?: string | undefined },
): boolean {
  return code !== undefined && code >= 500 && enhanced !== undefined && NO_MAILBOX.has(enhanced);
}

/** The most addresses that one request adds or removes. */
export const MAX_SUPPRESSIONS_PER_REQUEST = 1000;

const timeSchema = z.iso.datetime();

/** Item of `GET /v1/suppressions`. */
export const suppressionFoundSchema = z.strictObject({
  email: z.string(),
  reason: z.enum(SUPPRESSION_REASONS),
  /** Codes of the server that refused the address; null if none did. */
  reply: z.strictObject({ code: z.int().optional(), enhanced: z.string().optional() }).nullable(),
  /** The message that was refused; null if there is none. */
  messageId: z.string().nullable(),
  addedAt: timeSchema,
  expiresAt: timeSchema.nullable(),
});

/** The filters of `GET /v1/suppressions`. */
export const SUPPRESSION_FILTERS = {
  email: z.string().trim().min(1).max(320).optional()
    .describe("An address, or the beginning of one with * at its end"),
};

/** Body of `POST /v1/suppressions`. */
export const SUPPRESS_BODY = z.strictObject({
  suppressions: z.array(z.strictObject({
    email: emailAddressSchema,
    reason: z.enum(["manual", "import"]).default("manual"),
    /** When it ends; left out if it does not. */
    expiresAt: FILTER_TIME.optional(),
  })).min(1).max(MAX_SUPPRESSIONS_PER_REQUEST),
});

/** Answer to `POST /v1/suppressions`. */
export const suppressedSchema = z.strictObject({
  /** Those that were not on the list. The entries of the others are replaced. */
  added: z.int().nonnegative(),
});

/** Body of `POST /v1/suppressions/remove`. */
export const UNSUPPRESS_BODY = z.strictObject({
  emails: z.array(z.string().min(1).max(320)).min(1).max(MAX_SUPPRESSIONS_PER_REQUEST),
});

/** Answer to `POST /v1/suppressions/remove`. */
export const unsuppressedSchema = z.strictObject({ removed: z.int().nonnegative() });
