import {
  type BatchBody,
  batchBodySchema,
  batchRecipientsSchema,
  dropNulls,
  emailAddressSchema,
  type Issue,
  localeSchema,
  type PdfRef,
  pdfRefSchema,
  sendAtSchema,
  type SendBody,
  sendBodySchema,
  type SendLimits,
  type SendRequest,
  type Variables,
  variablesSchema,
} from "@posthaste/contracts";
import { BODY_PARSING, bodyIssues } from "@posthaste/http";
import type { z } from "zod";

/**
 * The readable part of a send's body: a whole request, or one with `null` in place of faulty parts.
 * Recipients and attachments keep their positions.
 */
export interface ReadableSend {
  from?: { email: string | null } | undefined;
  variables?: Variables | null | undefined;
  /** The wanted language. */
  locale?: string | undefined;
  sendAt?: string | null | undefined;
  to: ReadableRecipient[];
}

/** The readable part of one recipient. */
export interface ReadableRecipient {
  email: string | null;
  variables?: Variables | null | undefined;
  /** The wanted language. */
  locale?: string | undefined;
  attachments?: (ReadableAttachment | null)[] | undefined;
}

/** One attachment that names a PDF template. */
export interface ReadableAttachment {
  id: PdfRef;
  variables?: Variables | null | undefined;
}

/** The result of reading a body: the whole request, or its faults and the readable part. */
export type ReadSendBody =
  | { request: SendBody; faults: []; readable: ReadableSend }
  | { request: undefined; faults: Issue[]; readable: ReadableSend };

/** Creates the reader of send bodies (docs/interface.md, section 2) that enforces these limits. */
export function sendBodyReader(limits: SendLimits): (body: unknown) => ReadSendBody {
  const schema = sendBodySchema(limits);
  return (body) => {
    const clipped = withoutNulls(schema, clip(body, limits));
    const { data, error } = schema.safeParse(clipped, BODY_PARSING);
    if (error === undefined) return { request: data, faults: [], readable: withoutFiles(data) };
    return { request: undefined, faults: bodyIssues(error), readable: readWhatHolds(clipped) };
  };
}

/** What the sends of a batch share. */
export type SharedRequest = Omit<SendRequest, "to">;

/**
 * Creates the reader of the recipients of a batch. It returns whole requests, with what the batch's sends share.
 * The sender was checked when the batch was opened.
 */
export function recipientsReader(
  limits: SendLimits,
): (body: unknown, shared: SharedRequest) => ReadSendBody {
  const schema = batchRecipientsSchema(limits);
  return (body, { files: _files, ...shared }) => {
    const clipped = withoutNulls(schema, clip(body, limits));
    const { data, error } = schema.safeParse(clipped, BODY_PARSING);
    const { variables, locale } = shared;
    if (error !== undefined) {
      const { to } = readWhatHolds(clipped);
      return { request: undefined, faults: bodyIssues(error), readable: { variables, locale, to } };
    }
    const request = { ...shared, to: data.to };
    return { request, faults: [], readable: { variables, locale, to: withoutFiles(request).to } };
  };
}

/** Creates the reader of the body that opens a batch. */
export function batchBodyReader(limits: SendLimits) {
  const schema = batchBodySchema(limits);
  return (body: unknown): { request: BatchBody } | { faults: Issue[] } => {
    const { data, error } = schema.safeParse(withoutNulls(schema, body), BODY_PARSING);
    return error === undefined ? { request: data } : { faults: bodyIssues(error) };
  };
}

/** Removes the fields of a body that are null and optional. */
function withoutNulls(schema: z.ZodType, body: unknown): unknown {
  dropNulls(schema, body);
  dropNullIds(body);
  return body;
}

/** Removes `id` if it is null beside the fields of a file: there it is optional. */
function dropNullIds(body: unknown): void {
  if (!isObject(body) || !Array.isArray(body["to"])) return;
  for (const recipient of body["to"]) {
    const attachments: unknown = recipient?.attachments;
    if (!Array.isArray(attachments)) continue;
    for (const attachment of attachments) {
      if (!isObject(attachment) || attachment["id"] !== null) continue;
      if ("content" in attachment || "asset" in attachment) delete attachment["id"];
    }
  }
}

/** Returns what is checked further: without files. */
function withoutFiles({ from, variables, locale, sendAt, to }: SendBody): ReadableSend {
  return {
    ...{ from, variables, locale, sendAt },
    to: to.map(({ email, variables, locale, attachments }) => ({
      ...{ email, variables, locale },
      ...(attachments === undefined ? {} : { attachments: pdfsOf(attachments) }),
    })),
  };
}

type Attachments = NonNullable<SendBody["to"][number]["attachments"]>;

/** Returns the PDFs of a list, with `null` in place of files. A list of PDFs alone is not copied: it may be long. */
function pdfsOf(attachments: Attachments): (ReadableAttachment | null)[] {
  if (attachments.every(isPdf)) return attachments;
  return attachments.map((one) => isPdf(one) ? one : null);
}

function isPdf(
  attachment: Attachments[number],
): attachment is Attachments[number] & { id: PdfRef } {
  return attachment.id !== undefined;
}

/**
 * Cuts lists down to one item more than allowed: the schema still refuses them, and a list of
 * millions costs no more than that.
 */
function clip(given: unknown, { maxRecipients, maxAttachments }: SendLimits): unknown {
  if (!isObject(given) || !Array.isArray(given["to"])) return given;
  const common = given["attachments"];
  const body: Record<string, unknown> & { to: unknown[] } = {
    ...given,
    to: given["to"],
    ...(Array.isArray(common) ? { attachments: common.slice(0, maxAttachments + 1) } : {}),
  };
  const isLong = (recipient: unknown) =>
    isObject(recipient) && Array.isArray(recipient["attachments"]) &&
    recipient["attachments"].length > maxAttachments;
  const to = body.to.slice(0, maxRecipients + 1);
  if (to.length === body.to.length && !to.some(isLong)) return body;
  return {
    ...body,
    to: to.map((recipient) => {
      if (!isLong(recipient)) return recipient;
      const { attachments, ...rest } = recipient as { attachments: unknown[] };
      return { ...rest, attachments: attachments.slice(0, maxAttachments + 1) };
    }),
  };
}

function readWhatHolds(body: unknown): ReadableSend {
  const { from, to, variables, locale, sendAt } = isObject(body) ? body : {};
  return {
    from: isObject(from) ? { email: readAddress(from["email"]) } : undefined,
    variables: readVariables(variables),
    locale: readLocale(locale),
    sendAt: sendAtSchema.safeParse(sendAt).data ?? null,
    to: listOf(to).map((recipient) => ({
      email: readAddress(recipient["email"]),
      variables: readVariables(recipient["variables"]),
      locale: readLocale(recipient["locale"]),
      attachments: listOf(recipient["attachments"]).map(({ id, variables }) => {
        const { data: ref } = pdfRefSchema.safeParse(id);
        return ref === undefined ? null : { id: ref, variables: readVariables(variables) };
      }),
    })),
  };
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map((item) => isObject(item) ? item : {}) : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readAddress(value: unknown): string | null {
  return emailAddressSchema.safeParse(value).data ?? null;
}

function readLocale(value: unknown): string | undefined {
  return localeSchema.safeParse(value).data;
}

function readVariables(value: unknown): Variables | null {
  return value === undefined ? {} : variablesSchema.safeParse(value).data ?? null;
}
