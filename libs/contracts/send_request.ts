import { z } from "zod";
import { attachmentBodySchema, fileBodySchema } from "./attachment.ts";
import { ENVELOPE_FIELDS } from "./envelope.ts";
import { LABEL_FIELDS } from "./labels.ts";
import { localeSchema } from "./locale.ts";
import { filenameSchema, mailFileSchema } from "./mail_file.ts";
import { mailboxSchema } from "./mailbox.ts";
import { variablesSchema } from "./variables.ts";

/** Limits of a send request. Each is a setting of the api service. */
export interface SendLimits {
  /** @default {1000} */
  maxRecipients: number;
  /** Per recipient. @default {10} */
  maxAttachments: number;
}

/** The limits without other settings. */
export const DEFAULT_SEND_LIMITS: SendLimits = { maxRecipients: 1000, maxAttachments: 10 };

/** The fields that differ between the two forms of a request, at each level. */
interface FileFields {
  recipient: z.ZodRawShape;
  top: z.ZodRawShape;
}

/** The language in which a mail and its PDFs are wanted. A recipient's replaces the send's. */
const LOCALE_FIELD = { locale: localeSchema.optional() };

function requestSchema<Fields extends FileFields>(files: Fields, { maxRecipients }: SendLimits) {
  const recipientSchema = z.strictObject({
    ...mailboxSchema.shape,
    ...LABEL_FIELDS,
    ...ENVELOPE_FIELDS,
    ...LOCALE_FIELD,
    variables: variablesSchema.optional(),
    ...(files.recipient as Fields["recipient"]),
  });
  return z.strictObject({
    from: mailboxSchema,
    to: z.array(recipientSchema)
      .min(1, { error: "must have at least one recipient" })
      .max(maxRecipients, { error: `must not have more than ${maxRecipients} recipients` }),
    ...LABEL_FIELDS,
    ...ENVELOPE_FIELDS,
    ...LOCALE_FIELD,
    variables: variablesSchema.optional(),
    ...(files.top as Fields["top"]),
  });
}

function attachmentsOf<T extends z.ZodType>(attachment: T, { maxAttachments }: SendLimits) {
  return z.array(attachment).max(maxAttachments, {
    error: `must not have more than ${maxAttachments} attachments`,
  }).optional();
}

const pdfAttachmentSchema = z.strictObject({
  id: z.int().positive(),
  filename: filenameSchema.optional(),
  variables: variablesSchema.optional(),
});

/** The planned start of a send: ISO 8601 with an offset. */
export const sendAtSchema = z.iso.datetime({
  offset: true,
  error: "must be a time with an offset, such as 2026-01-02T03:04:05Z",
});

/**
 * Makes the schema of the body of `POST /v1/templates/{templateId}/send/{integrationId}` (docs/interface.md,
 * section 2). It refuses unknown fields by name.
 */
export function sendBodySchema(limits: SendLimits = DEFAULT_SEND_LIMITS) {
  return requestSchema({
    recipient: { attachments: attachmentsOf(attachmentBodySchema, limits) },
    top: { attachments: attachmentsOf(fileBodySchema, limits) },
  }, limits).extend({ sendAt: sendAtSchema.optional() });
}

/**
 * A send request as received: it names PDF templates by id or alias, contains the bytes of files, and has the
 * planned start.
 */
export type SendBody = z.infer<ReturnType<typeof sendBodySchema>>;

/** Makes the schema of a send request as accepted: it names PDF templates by id, and files by their hash. */
export function sendRequestSchema(limits: SendLimits = DEFAULT_SEND_LIMITS) {
  const files = z.array(mailFileSchema).optional();
  return requestSchema({
    recipient: { attachments: attachmentsOf(pdfAttachmentSchema, limits), files },
    top: { files },
  }, limits);
}

/** A send request as accepted. */
export type SendRequest = z.infer<ReturnType<typeof sendRequestSchema>>;

/** One recipient of a send request. */
export type Recipient = SendRequest["to"][number];

/** One PDF for a recipient. */
export type Attachment = NonNullable<Recipient["attachments"]>[number];
