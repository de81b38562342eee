import { z } from "zod";
import { emailAddressSchema } from "./email_address.ts";
import { faultParams } from "./issue_code.ts";
import { variablesSchema } from "./variables.ts";

/** Limits of a send request; every one is a setting of the api service. */
export interface SendLimits {
  /** @default {1000} */
  maxRecipients: number;
  /** Per recipient. @default {10} */
  maxAttachments: number;
}

/** The limits that hold where no setting says otherwise. */
export const DEFAULT_SEND_LIMITS: SendLimits = { maxRecipients: 1000, maxAttachments: 10 };

/** The longest display name, in characters. */
export const MAX_NAME_LENGTH = 256;

/** The longest file name of an attachment, in characters. */
export const MAX_FILENAME_LENGTH = 200;

// deno-lint-ignore no-control-regex
const CONTROL_PATTERN = /[\u{0}-\u{1f}\u{7f}-\u{9f}\u{2028}\u{2029}]/u;
const CONTROL_FAULT = faultParams(
  "bad_characters",
  "must not contain line breaks or control characters",
);

const nameSchema = z.string()
  .max(MAX_NAME_LENGTH, { error: `must not exceed ${MAX_NAME_LENGTH} characters` })
  .refine((name) => !CONTROL_PATTERN.test(name), CONTROL_FAULT);

const filenameSchema = z.string()
  .min(1, { error: "must not be empty" })
  .max(MAX_FILENAME_LENGTH, { error: `must not exceed ${MAX_FILENAME_LENGTH} characters` })
  .refine((name) => !CONTROL_PATTERN.test(name), CONTROL_FAULT)
  .refine(
    (name) => !/[/\\]/.test(name),
    faultParams("bad_characters", "must not contain slashes"),
  )
  .refine(
    (name) => !hasPlaceholder(name),
    faultParams(
      "placeholder_in_filename",
      "must not contain {{…}}: only the file name of the PDF template is filled",
    ),
  );

/** Without a pattern: one for both ends would take quadratic time on `{{{{…`. */
function hasPlaceholder(name: string): boolean {
  const start = name.indexOf("{{");
  return start >= 0 && name.indexOf("}}", start) >= 0;
}

const attachmentSchema = z.strictObject({
  id: z.int({ error: "must be the integer id of a PDF template" }).positive({
    error: "must be the integer id of a PDF template",
  }),
  filename: filenameSchema.optional(),
  variables: variablesSchema.optional(),
});

function recipientSchema(limits: SendLimits) {
  return z.strictObject({
    email: emailAddressSchema,
    name: nameSchema.optional(),
    variables: variablesSchema.optional(),
    attachments: z.array(attachmentSchema).max(limits.maxAttachments, {
      error: `must not have more than ${limits.maxAttachments} attachments`,
    }).optional(),
  });
}

/**
 * Makes the schema of the body of `POST /v1/templates/{templateId}/send/{integrationId}`
 * (docs/interface.md, section 2). Unknown fields are refused by name.
 */
export function sendRequestSchema(limits: SendLimits = DEFAULT_SEND_LIMITS) {
  return z.strictObject({
    from: z.strictObject({ email: emailAddressSchema, name: nameSchema.optional() }),
    to: z.array(recipientSchema(limits))
      .min(1, { error: "must have at least one recipient" })
      .max(limits.maxRecipients, {
        error: `must not have more than ${limits.maxRecipients} recipients`,
      }),
    variables: variablesSchema.optional(),
  });
}

/** A send request as accepted. */
export type SendRequest = z.infer<ReturnType<typeof sendRequestSchema>>;

/** One recipient of a send request. */
export type Recipient = SendRequest["to"][number];

/** One PDF that a recipient shall receive. */
export type Attachment = NonNullable<Recipient["attachments"]>[number];

/** Answer to an accepted send request. */
export interface SendAccepted {
  status: "success";
  message: string;
  /** Id of the send. */
  id: string;
  /** One per recipient, in the order of the request. */
  messages: { id: string; email: string }[];
}

/** Answer to a render request. */
export interface Rendered {
  subject: string;
  html: string;
  text: string;
}
