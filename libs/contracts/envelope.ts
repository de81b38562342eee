import { z } from "zod";
import { normalizeAddress } from "./email_address.ts";
import { listUnsubscribeSchema } from "./list_unsubscribe.ts";
import { type GivenHeaders, headersSchema, mergeHeaders } from "./mail_header.ts";
import { type Mailbox, mailboxSchema } from "./mailbox.ts";

/** The most addresses in `replyTo`. */
const MAX_REPLY_TO = 10;

/** The most addresses in each of `cc` and `bcc`. */
const MAX_COPIES = 10;

/** The most copies of one send: addresses in `cc` and `bcc` of all its mails. */
export const MAX_COPIES_PER_SEND = 1000;

/**
 * Fields of a send and of each of its recipients that describe the mail besides its content. A recipient's
 * value replaces the send's, headers by name; an empty list or text removes it.
 */
export const ENVELOPE_FIELDS = {
  replyTo: mailboxesSchema(MAX_REPLY_TO),
  cc: mailboxesSchema(MAX_COPIES),
  bcc: mailboxesSchema(MAX_COPIES),
  headers: headersSchema.optional(),
  listUnsubscribe: listUnsubscribeSchema.optional(),
  /**
   * Sends the mail although its recipient is on the suppression list, because a law or a contract requires it.
   * Copies to suppressed addresses are left out all the same.
   */
  toSuppressed: z.boolean().optional(),
};

const givenSchema = z.object(ENVELOPE_FIELDS);

/** The envelope fields of a send or a recipient. */
export type GivenEnvelope = z.infer<typeof givenSchema>;

const sentMailboxSchema = z.object({ email: z.string(), name: z.string().optional() });

/** Schema of one mail's envelope: the fields of its send and its recipient combined. */
export const mailEnvelopeSchema = z.object({
  replyTo: z.array(sentMailboxSchema).optional(),
  cc: z.array(sentMailboxSchema).optional(),
  /** They get the mail, which does not name them. */
  bcc: z.array(sentMailboxSchema).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  listUnsubscribe: z.object({
    url: z.string().optional(),
    mailto: z.string().optional(),
    oneClick: z.boolean().optional(),
  }).optional(),
  toSuppressed: z.boolean().optional(),
});

/** One mail's envelope. */
export type MailEnvelope = z.infer<typeof mailEnvelopeSchema>;

const NAMES = Object.keys(ENVELOPE_FIELDS) as (keyof GivenEnvelope)[];

/** Returns whether a send or a recipient has any envelope field. */
export function hasEnvelope(given: GivenEnvelope): boolean {
  return NAMES.some((name) => given[name] !== undefined);
}

/** Returns the envelope of a recipient's mail; `undefined` if it is empty. */
export function envelopeOf(top: GivenEnvelope, own: GivenEnvelope): MailEnvelope | undefined {
  if (!hasEnvelope(top) && !hasEnvelope(own)) return undefined;
  const unsubscribe = own.listUnsubscribe ?? top.listUnsubscribe;
  const envelope: MailEnvelope = {
    ...listed("replyTo", own.replyTo ?? top.replyTo),
    ...listed("cc", own.cc ?? top.cc),
    ...listed("bcc", own.bcc ?? top.bcc),
    ...headersOf(mergeHeaders(top.headers, own.headers)),
    ...(unsubscribe === undefined || unsubscribe === "" ? {} : { listUnsubscribe: unsubscribe }),
    ...(isToSuppressed(top, own) ? { toSuppressed: true } : {}),
  };
  return Object.keys(envelope).length === 0 ? undefined : envelope;
}

/** Returns whether a recipient's mail is sent although the address is on the suppression list. */
export function isToSuppressed(top: GivenEnvelope, own: GivenEnvelope): boolean {
  return own.toSuppressed ?? top.toSuppressed ?? false;
}

/** Returns the addresses that get a copy of a mail to `to`, each once. */
export function copiesOf({ cc = [], bcc = [] }: MailEnvelope, to: string): string[] {
  const known = new Set([normalizeAddress(to)]);
  return [...cc, ...bcc].flatMap(({ email }) => {
    const address = normalizeAddress(email);
    if (known.has(address)) return [];
    known.add(address);
    return [email];
  });
}

/** Returns the addresses with copies by which a mail is found; no field if there are none. */
export function copyFields(
  envelope: MailEnvelope | undefined,
  to: string,
): { copies?: string[] } {
  if (envelope === undefined) return {};
  const copies = [...new Set(copiesOf(envelope, to).map((address) => address.toLowerCase()))];
  return copies.length === 0 ? {} : { copies };
}

/** Returns a value without the fields of the envelope. */
export function withoutEnvelope<T extends GivenEnvelope>(given: T): Omit<T, keyof GivenEnvelope> {
  const {
    replyTo: _reply,
    cc: _cc,
    bcc: _bcc,
    headers: _headers,
    listUnsubscribe: _list,
    toSuppressed: _override,
    ...rest
  } = given;
  return rest;
}

function mailboxesSchema(max: number) {
  return z.array(mailboxSchema)
    .max(max, { error: `must not have more than ${max} addresses` }).optional();
}

function listed(name: "replyTo" | "cc" | "bcc", list: Mailbox[] | undefined) {
  return list === undefined || list.length === 0 ? {} : { [name]: list };
}

function headersOf(headers: GivenHeaders) {
  return Object.keys(headers).length === 0 ? {} : { headers };
}
