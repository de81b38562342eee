import { z } from "zod";
import { listUnsubscribeSchema } from "./list_unsubscribe.ts";
import { type GivenHeaders, headersSchema, mergeHeaders } from "./mail_header.ts";
import { type Mailbox, mailboxSchema } from "./mailbox.ts";

/** The most addresses in `replyTo`. */
export const MAX_REPLY_TO = 10;

/**
 * What a send and each of its recipients may say of the mail beside its content. A recipient's value replaces
 * the send's, headers by name; an empty list or text removes it.
 */
export const ENVELOPE_FIELDS = {
  replyTo: mailboxesSchema(MAX_REPLY_TO),
  headers: headersSchema.optional(),
  listUnsubscribe: listUnsubscribeSchema.optional(),
};

const givenSchema = z.object(ENVELOPE_FIELDS);

/** What a send or a recipient says of the mail beside its content. */
export type GivenEnvelope = z.infer<typeof givenSchema>;

const sentMailboxSchema = z.object({ email: z.string(), name: z.string().optional() });

/** What one mail says beside its content: what its send and its recipient say together. */
export const mailEnvelopeSchema = z.object({
  replyTo: z.array(sentMailboxSchema).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  listUnsubscribe: z.object({
    url: z.string().optional(),
    mailto: z.string().optional(),
    oneClick: z.boolean().optional(),
  }).optional(),
});

/** What one mail says beside its content. */
export type MailEnvelope = z.infer<typeof mailEnvelopeSchema>;

const NAMES = Object.keys(ENVELOPE_FIELDS) as (keyof GivenEnvelope)[];

/** Returns whether a send or a recipient says anything of the mail beside its content. */
export function hasEnvelope(given: GivenEnvelope): boolean {
  return NAMES.some((name) => given[name] !== undefined);
}

/** Returns what a recipient's mail says beside its content; `undefined` if that is nothing. */
export function envelopeOf(top: GivenEnvelope, own: GivenEnvelope): MailEnvelope | undefined {
  if (!hasEnvelope(top) && !hasEnvelope(own)) return undefined;
  const unsubscribe = own.listUnsubscribe ?? top.listUnsubscribe;
  const envelope: MailEnvelope = {
    ...listed("replyTo", own.replyTo ?? top.replyTo),
    ...headersOf(mergeHeaders(top.headers, own.headers)),
    ...(unsubscribe === undefined || unsubscribe === "" ? {} : { listUnsubscribe: unsubscribe }),
  };
  return Object.keys(envelope).length === 0 ? undefined : envelope;
}

/** Returns what is given beside the fields of the envelope. */
export function withoutEnvelope<T extends GivenEnvelope>(given: T): Omit<T, keyof GivenEnvelope> {
  const { replyTo: _reply, headers: _headers, listUnsubscribe: _list, ...rest } = given;
  return rest;
}

function mailboxesSchema(max: number) {
  return z.array(mailboxSchema)
    .max(max, { error: `must not have more than ${max} addresses` }).optional();
}

function listed<Name extends "replyTo">(name: Name, list: Mailbox[] | undefined) {
  return list === undefined || list.length === 0 ? {} : { [name]: list };
}

function headersOf(headers: GivenHeaders) {
  return Object.keys(headers).length === 0 ? {} : { headers };
}
