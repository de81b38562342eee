import { z } from "zod";
import { emailAddressSchema } from "./email_address.ts";
import { faultParams } from "./issue_code.ts";

/** The longest display name, in characters. */
export const MAX_NAME_LENGTH = 256;

// deno-lint-ignore no-control-regex
const CONTROL_PATTERN = /[\u{0}-\u{1f}\u{7f}-\u{9f}\u{2028}\u{2029}]/u;

const CONTROL_FAULT = faultParams(
  "bad_characters",
  "must not contain line breaks or control characters",
);

/** Makes a schema refuse texts with line breaks or control characters. */
export function withoutControls<T extends z.ZodType<string>>(schema: T): T {
  return schema.refine((text) => !CONTROL_PATTERN.test(text), CONTROL_FAULT);
}

/** Schema of a display name. */
const displayNameSchema = withoutControls(
  z.string().max(MAX_NAME_LENGTH, { error: `must not exceed ${MAX_NAME_LENGTH} characters` }),
);

/** Schema of an address with a display name. */
export const mailboxSchema = z.strictObject({
  email: emailAddressSchema,
  name: displayNameSchema.optional(),
});

/** An address with a display name. */
export type Mailbox = z.infer<typeof mailboxSchema>;
