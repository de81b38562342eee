import { z } from "zod";
import { aliasSchema } from "./documents.ts";
import { ENVELOPE_FIELDS } from "./envelope.ts";
import { faultParams } from "./issue_code.ts";
import { LABEL_FIELDS } from "./labels.ts";
import { mailboxSchema, withoutControls } from "./mailbox.ts";
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

/** The longest file name of an attachment, in characters. */
export const MAX_FILENAME_LENGTH = 200;

const filenameSchema = withoutControls(
  z.string()
    .min(1, { error: "must not be empty" })
    .max(MAX_FILENAME_LENGTH, { error: `must not exceed ${MAX_FILENAME_LENGTH} characters` }),
)
  .refine(
    (name) => !/[/\\]/.test(name),
    faultParams("bad_characters", "must not contain slashes"),
  )
  .refine(
    (name) => !hasPlaceholder(name),
    faultParams(
      "placeholder_in_filename",
      "must not contain {{…}}: placeholders work only in the file name of the PDF template",
    ),
  );

/** Without a pattern: one for both ends would take quadratic time on `{{{{…`. */
function hasPlaceholder(name: string): boolean {
  const start = name.indexOf("{{");
  return start >= 0 && name.indexOf("}}", start) >= 0;
}

const PDF_REF_FAULT = "must be the id or the alias of a PDF template";

/** A PDF template as the body of a request names it: by its id or its alias. */
export const pdfRefSchema = z.union([z.int(), z.string()], {
  error: ({ input }) => input === undefined ? "is required" : PDF_REF_FAULT,
}).refine(
  (ref) => typeof ref === "number" ? ref > 0 : aliasSchema.safeParse(ref).success,
  faultParams("wrong_type", PDF_REF_FAULT),
);

/** A PDF template as the body of a request names it. */
export type PdfRef = z.infer<typeof pdfRefSchema>;

function attachmentSchema<Id extends z.ZodType<PdfRef>>(id: Id) {
  return z.strictObject({
    id,
    filename: filenameSchema.optional(),
    variables: variablesSchema.optional(),
  });
}

function requestSchema<Id extends z.ZodType<PdfRef>>(id: Id, limits: SendLimits) {
  const recipientSchema = z.strictObject({
    ...mailboxSchema.shape,
    ...LABEL_FIELDS,
    ...ENVELOPE_FIELDS,
    variables: variablesSchema.optional(),
    attachments: z.array(attachmentSchema(id)).max(limits.maxAttachments, {
      error: `must not have more than ${limits.maxAttachments} attachments`,
    }).optional(),
  });
  return z.strictObject({
    from: mailboxSchema,
    to: z.array(recipientSchema)
      .min(1, { error: "must have at least one recipient" })
      .max(limits.maxRecipients, {
        error: `must not have more than ${limits.maxRecipients} recipients`,
      }),
    ...LABEL_FIELDS,
    ...ENVELOPE_FIELDS,
    variables: variablesSchema.optional(),
  });
}

/**
 * Makes the schema of the body of `POST /v1/templates/{templateId}/send/{integrationId}`
 * (docs/interface.md, section 2). Unknown fields are refused by name.
 */
export function sendBodySchema(limits: SendLimits = DEFAULT_SEND_LIMITS) {
  return requestSchema(pdfRefSchema, limits);
}

/** A send request as it comes: it names PDF templates by id or alias. */
export type SendBody = z.infer<ReturnType<typeof sendBodySchema>>;

/** Makes the schema of a send request as it is accepted: it names PDF templates by id. */
export function sendRequestSchema(limits: SendLimits = DEFAULT_SEND_LIMITS) {
  return requestSchema(z.int().positive(), limits);
}

/** A send request as accepted. */
export type SendRequest = z.infer<ReturnType<typeof sendRequestSchema>>;

/** One recipient of a send request. */
export type Recipient = SendRequest["to"][number];

/** One PDF that a recipient shall receive. */
export type Attachment = NonNullable<Recipient["attachments"]>[number];
