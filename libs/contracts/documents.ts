import { z } from "zod";
import { aliasSchema } from "./alias.ts";
import { pinnedAssetSchema } from "./asset.ts";
import { emailAddressSchema } from "./email_address.ts";
import { integrationLoginSchema } from "./integration_login.ts";
import { prioritySchema } from "./priority.ts";
import { messageWarningSchema } from "./message_warning.ts";
import { messageStateSchema, timelineTypeSchema } from "./message_state.ts";
import { keptPageOptionsSchema } from "./page_options.ts";
import { pinnedSchema } from "./partial.ts";
import { sealedSecretSchema } from "./sealed_secret.ts";
import type { SendRequest } from "./send_request.ts";
import type { SendWarningCode } from "./send_warning.ts";
import { templateReadSchema } from "./template_read.ts";
import { keptDeclarationSchema } from "./variables.ts";

/** The longest retention of contents, in days. */
export const MAX_CONTENT_DAYS = 365;

/** Schema of an account's retention. */
const retentionSchema = z.object({
  /** Days for which sent mails and PDFs can be viewed; 0 keeps none. */
  contentDays: z.int().min(0).max(MAX_CONTENT_DAYS).default(7),
});

/** How long an account keeps optional data. */
export type Retention = z.infer<typeof retentionSchema>;

/** An account: the owner of templates, integrations, tokens and messages. */
export const accountSchema = z.object({
  /** `acc_` and a ULID. */
  _id: z.string(),
  name: z.string().min(1).max(200),
  retention: retentionSchema.prefault({}),
  /** Whether members who sign in with a password need a second factor. */
  requiresSecondFactor: z.boolean().default(false),
  /** Whether addresses whose mailbox does not exist go on the suppression list. */
  suppressRefused: z.boolean().default(true),
  /** BCP 47 tag of the language of its mail, where a request names none; null for that of each template. */
  locale: z.string().nullable().default(null),
  createdAt: z.date(),
});

/** An account. */
export type Account = z.infer<typeof accountSchema>;

/** The rights of tokens in the interface for programs below `/v1`. */
export const API_SCOPES = [
  "render",
  "send",
  "send:suppressed",
  "read",
  "list",
  "read:content",
  "manage:messages",
  "manage:suppressions",
] as const;

/** The rights of tokens in the interface for programs below `/manage/v1`. */
const MANAGE_SCOPES = [
  "manage:templates",
  "manage:integrations",
  "manage:webhooks",
  "manage:tokens",
  "manage:account",
] as const;

/** The rights of tokens. */
export const TOKEN_SCOPES = [...API_SCOPES, ...MANAGE_SCOPES] as const;

/** Scopes as stored. Unknown scopes of a later version are left out, and allow nothing here. */
const storedScopesSchema = z.array(z.string()).transform((scopes) =>
  scopes.flatMap((scope) => TOKEN_SCOPES.find((known) => known === scope) ?? [])
);

/** Limits of a token besides its scopes. An empty list sets no limit. */
export const tokenLimitsSchema = z.object({
  /** Addresses and networks that requests may come from: `203.0.113.7`, `2001:db8::/32`. */
  addresses: z.array(z.string()).max(100).default([]),
  /** Ids of the email templates that may be rendered and sent. */
  templates: z.array(z.int().positive()).max(1000).default([]),
  /** Ids of the integrations that may be sent through. */
  integrations: z.array(z.int().positive()).max(1000).default([]),
});

/** Limits of a token besides its scopes. */
export type TokenLimits = z.infer<typeof tokenLimitsSchema>;

/** An access token as stored, which includes only its SHA-256. */
export const accessTokenSchema = z.object({
  /** SHA-256 of the token, in hex. */
  _id: z.string(),
  accountId: z.string(),
  name: z.string(),
  /** The first characters, by which people recognise it. */
  prefix: z.string(),
  scopes: storedScopesSchema,
  createdAt: z.date(),
  expiresAt: z.date().nullable(),
  revokedAt: z.date().nullable(),
  lastUsedAt: z.date().nullable(),
  /** The user who created it; null for the command line. */
  createdBy: z.string().nullable().default(null),
  /** The token that created it, and whose revocation revokes it, too; missing if a person did. */
  madeBy: z.string().optional(),
  ...tokenLimitsSchema.shape,
});

/** An access token as stored. */
export type AccessToken = z.infer<typeof accessTokenSchema>;

/** A right of a token. */
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** The two kinds of template. */
export const TEMPLATE_KINDS = ["email", "pdf"] as const;

/** The two kinds of template. */
export type TemplateKind = (typeof TEMPLATE_KINDS)[number];

/** The summary of a template: what its versions have in common. */
export const templateSchema = z.object({
  /** `<account>/<kind>/<id>` */
  _id: z.string(),
  accountId: z.string(),
  kind: z.enum(TEMPLATE_KINDS),
  /** Counted per account and kind, from 1. */
  id: z.int().positive(),
  alias: aliasSchema.nullable(),
  name: z.string().min(1).max(200),
  /** The newest published version; null before the first. */
  publishedVersion: z.int().positive().nullable(),
  /** Since when requests that name it are refused. Mail that was accepted before is still sent. */
  archivedAt: z.date().nullable().default(null),
  createdAt: z.date(),
  updatedAt: z.date(),
});

/** The summary of a template. */
export type Template = z.infer<typeof templateSchema>;

/** Schema of the parts of an email template, ready to be filled. */
const emailPartsSchema = z.object({
  subject: z.string(),
  html: z.string(),
  text: z.string(),
});

const versionBase = {
  /** `<account>/<kind>/<id>/<version>`; also the key under which compiled templates are cached. */
  _id: z.string(),
  accountId: z.string(),
  templateId: z.int().positive(),
  version: z.int().positive(),
  name: z.string(),
  variables: z.array(keptDeclarationSchema),
  /** The paths that its syntax trees read; missing if it was published before they were recorded. */
  reads: z.array(templateReadSchema).optional(),
  /** The files that it uses by name, as they were when it was published; missing if it uses none. */
  assets: z.array(pinnedAssetSchema).optional(),
  /** Names of those that its own body uses; missing if it uses all, and its variants no others. */
  shows: z.array(z.string()).optional(),
  /** The partials and the brand in its parts; missing if there are none. */
  includes: z.array(pinnedSchema).optional(),
  /** BCP 47 tag of its own body, also for helpers that format. */
  locale: z.string().default("en"),
  /** SHA-256 of the whole source: the same source is not published twice in a row. */
  sourceHash: z.string(),
  publishedAt: z.date(),
  /** `_id` of the publisher; null for the command line. */
  publishedBy: z.string().nullable().default(null),
  /** Whether it was made for a test mail: no request uses it, whatever its number. */
  isTest: z.boolean().default(false),
};

/** Returns the fields of a body, and of further ones by their languages. */
function withVariants<Source extends z.ZodType, Parts extends z.ZodType>(
  body: { source: Source; parts: Parts },
) {
  const { reads, shows } = versionBase;
  /** By canonical BCP 47 tags. Missing if it has one body alone. */
  const variants = z.record(z.string(), z.object({ ...body, reads, shows })).optional();
  return { ...body, variants };
}

/** A published version of an email template. It never changes. */
export const emailVersionSchema = z.object({
  ...versionBase,
  kind: z.literal("email"),
  ...withVariants({
    /** As the author wrote it. */
    source: z.object({
      subject: z.string(),
      html: z.string().optional(),
      mjml: z.string().optional(),
      text: z.string().optional(),
    }),
    /** After MJML, inlining of CSS and the generation of text. */
    parts: emailPartsSchema,
  }),
});

/** A published version of an email template. */
export type EmailVersion = z.infer<typeof emailVersionSchema>;

/** A published version of a PDF template. It never changes. */
export const pdfVersionSchema = z.object({
  ...versionBase,
  kind: z.literal("pdf"),
  ...withVariants({
    source: z.object({
      html: z.string(),
      invoice: z.string().optional(),
      /** As it was written; missing if the part is the same. */
      filename: z.string().optional(),
    }),
    parts: z.object({ html: z.string(), filename: z.string(), invoice: z.string().optional() }),
  }),
  page: keptPageOptionsSchema,
});

/** A published version of a PDF template. */
export type PdfVersion = z.infer<typeof pdfVersionSchema>;

/** How an SMTP connection is encrypted. */
const TLS_MODES = ["none", "starttls", "implicit"] as const;

/** How to handle a message whose delivery is unknown. */
const UNKNOWN_POLICIES = ["retry", "hold"] as const;

/** Only certificates, as PEM. They are shown, so a key must not be among them. */
const caSchema = z.string().max(65_536).regex(
  /^\s*(?:-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*)+$/,
  { error: "must be certificates as PEM" },
);

/** Causes of a suspension: a server refused the login (or similar), or a person wanted it. */
const SUSPENSION_KINDS = ["refused", "person"] as const;

/** A key that mail is signed with (DKIM, RFC 6376), and where its public half is published. */
const dkimSchema = z.object({
  /** The domain that signs the mail: `example.com`. */
  domain: z.string().max(200).regex(/^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z\d-]{2,63}$/, {
    error: "must be a domain such as example.com",
  }),
  /** Distinguishes the keys of a domain: the record is at `<selector>._domainkey.<domain>`. */
  selector: z.string().regex(/^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/, {
    error: "must be lowercase letters, digits and dashes",
  }),
  /** RSA, as PKCS #8 PEM. */
  privateKey: sealedSecretSchema,
  /** Its public half: SPKI in DER, as base64. */
  publicKey: z.string(),
  /** Whether mail is signed. Only after the record was found. */
  enabled: z.boolean(),
});

/** A key that mail is signed with. */
export type Dkim = z.infer<typeof dkimSchema>;

/** The most integrations that another one may fall back to. */
export const MAX_FALLBACKS = 3;

/** A customer's SMTP server and how to log in to it. */
export const integrationSchema = z.object({
  /** `<account>/<id>` */
  _id: z.string(),
  accountId: z.string(),
  /** Counted per account, from 1. */
  id: z.int().positive(),
  name: z.string().min(1).max(200),
  /** Grows with every change. Connection pools are kept by it. */
  revision: z.int().positive(),
  /** A name, or an IP address. */
  host: z.string().min(1).max(255).regex(/^[\p{L}\p{M}\p{N}._:[\]-]+$/u, {
    error: "must be a host name or an IP address",
  }),
  port: z.int().min(1).max(65535),
  tls: z.enum(TLS_MODES),
  /** The certificate authorities to trust instead of the public ones, as PEM. */
  ca: caSchema.nullable().default(null),
  /**
   * Whether to accept any certificate. Dangerous: an attacker on the network path can read mail and password.
   */
  allowInvalidCertificate: z.boolean().default(false),
  auth: integrationLoginSchema.nullable(),
  /** Addresses allowed in `from.email`. */
  senders: z.array(emailAddressSchema).min(1),
  /** Simultaneous connections, over all mailers. */
  maxConnections: z.int().min(1).max(100).default(5),
  /** Messages per minute, over all mailers; null sets no limit. */
  maxPerMinute: z.int().min(1).max(1_000_000).nullable().default(null),
  /** How long temporary refusals are retried, in milliseconds: 1 h to 5 days. */
  retryForMs: z.int().min(3_600_000).max(432_000_000).default(172_800_000),
  whenUnknown: z.enum(UNKNOWN_POLICIES).default("retry"),
  /**
   * Ids of the account's integrations that send its mail while it cannot, in the order in which they are
   * asked. Only this list counts: theirs are not followed.
   */
  fallbacks: z.array(z.int().positive()).max(MAX_FALLBACKS).default([]),
  /**
   * Since when, and why, nothing is sent while mail waits: the server refuses the login, or a person has
   * paused it. A person ends it. A change of the settings also ends it, unless a person began it.
   */
  suspended: z.object({
    at: z.date(),
    reason: z.string(),
    kind: z.enum(SUSPENSION_KINDS).optional(),
    /** When the account's owners were notified. */
    toldAt: z.date().optional(),
  }).nullable().default(null),
  /** How mail is signed; null if it is not signed, or the server signs it. */
  dkim: dkimSchema.nullable().default(null),
  /** The domain that its mail is signed for, if its keys are not read: see {@linkcode signsForOf}. */
  signsFor: z.string().nullable().optional(),
  /** Since when it takes no new mail and is not listed. Mail that was accepted before is still sent. */
  archivedAt: z.date().nullable().default(null),
  createdAt: z.date(),
  updatedAt: z.date(),
});

/** A customer's SMTP server. */
export type Integration = z.infer<typeof integrationSchema>;

/** Returns the domain that an integration signs mail for; null if its mail is not signed here. */
export function signsForOf({ signsFor, dkim }: Pick<Integration, "signsFor" | "dkim">) {
  return signsFor ?? (dkim?.enabled ? dkim.domain : null);
}

/** Events in the history of an integration. */
const INTEGRATION_EVENTS = [
  "suspended",
  "paused",
  "resumed",
  "unreachable",
  "login_refused",
  "reachable",
] as const;

/** A line in the history of an integration: its state changed. Kept for 30 days. */
export const integrationEventSchema = z.object({
  accountId: z.string(),
  /** `_id` of the integration. */
  integrationId: z.string(),
  at: z.date(),
  type: z.enum(INTEGRATION_EVENTS),
  /** A sentence for people. */
  reason: z.string(),
});

/** A line in the history of an integration. */
export type IntegrationEvent = z.infer<typeof integrationEventSchema>;

/** How long after its acceptance or planned start the reconciler first looks at a send, in milliseconds. */
export const RECONCILE_AFTER_MS = 20_000;

/**
 * An accepted request, exactly as accepted, with template versions pinned. The request loses its variables when the
 * account's retention ends. What else changes says how far the send is.
 */
export interface Send {
  /** {@linkcode newSendId} */
  _id: string;
  accountId: string;
  acceptedAt: Date;
  priority: z.infer<typeof prioritySchema>;
  template: { id: number; version: number };
  /** Version of each PDF template in the request, by its id. */
  pdfVersions: Record<string, number>;
  integrationId: number;
  request: SendRequest;
  messageCount: number;
  /** Version of its events; missing for the oldest readable version. */
  eventVersion?: 2 | 3;
  /** Warnings that its caller got; missing if there are none. */
  warnings?: SendWarningCode[];
  /** Recipients that were on the suppression list, as positions in `to`; missing if there were none. */
  suppressed?: number[];
  /**
   * `Idempotency-Key` and the SHA-256 of the request under it. Only known if the send was found by its key.
   */
  idempotency?: { key: string; bodyHash: string };
  /** W3C `traceparent` of the accepted request: later dispatches join its trace. */
  trace?: string;
  /** Encrypts the subjects in its messages, base64. Removed with the variables of the request. */
  subjectKey?: string;
  /**
   * Recipients before this one were dispatched; missing when all were. If it waits again, later ones may be on their way or
   * have ended.
   */
  next?: number;
  /** `_id` of the integration whose capacity it waits for, while `next` is set. */
  waitsFor?: string;
  /** The batch that it belongs to. */
  batchId?: string;
  /** It does not start before its batch releases it. */
  held?: true;
  /** The time that it is scheduled for. It stays after the start. */
  notBefore?: Date;
  /** The same time, until the scheduler has started it. */
  waitsUntil?: Date;
  /** When every message was found in a terminal state; null until then. */
  settledAt: Date | null;
  /** Time of the reconciler's next look. */
  reconcileAt: Date;
  /** Since when the request has no variables any more, so that no mail can be made from it. */
  contentRemovedAt?: Date;
}

/** One line of a message's timeline. Programs see each of its fields: see `messageDetailSchema`. */
export const timelineEntrySchema = z.object({
  at: z.date(),
  type: timelineTypeSchema,
  /** Number of the attempt to send, from 1; 0 before the first. */
  attempt: z.int().nonnegative(),
  /** Duration of the stage's work, in milliseconds. */
  durationMs: z.number().nonnegative().optional(),
  /** A sentence for people: why it failed, the server's reply, or the warning. */
  detail: z.string().optional(),
  /** `missing_glyphs`: a PDF shows empty boxes instead of characters. Missing if nothing is to be said. */
  warning: messageWarningSchema.optional(),
  /** It is unknown whether the server has the mail: another attempt may send it twice. */
  ambiguous: z.boolean().optional(),
  /** The integration of the attempt; missing if it was the send's own. */
  integrationId: z.int().positive().optional(),
});

/** One line of a message's timeline. */
export type TimelineEntry = z.infer<typeof timelineEntrySchema>;

/** Schema of the SMTP server's answer. */
export const smtpReplySchema = z.object({
  /** Three digits (RFC 5321, 4.2). */
  code: z.int().optional(),
  /** Enhanced status code, as `5.1.1` (RFC 3463). */
  enhanced: z.string().optional(),
  /** The server's reply. */
  response: z.string().optional(),
});

/** The SMTP server's answer. */
export type SmtpReply = z.infer<typeof smtpReplySchema>;

/** An address that got no copy of a mail, and the server's reply. */
export const copyRefusedSchema = z.object({
  email: z.string(),
  reply: smtpReplySchema,
  /** It is on the suppression list: the server was not asked, and there is no reply. */
  suppressed: z.literal(true).optional(),
});

/** An address that got no copy of a mail. */
export type CopyRefused = z.infer<typeof copyRefusedSchema>;

/** One recipient's mail, with the outcomes of its attempts. It does not exist before the first outcome. */
const messageSchema = z.object({
  /** {@linkcode messageIdOf} */
  _id: z.string(),
  sendId: z.string(),
  accountId: z.string(),
  /** Position in the request's `to`. */
  index: z.int().nonnegative(),
  email: z.string(),
  /** Addresses that get a copy, in lower case; missing if there are none. */
  copies: z.array(z.string()).optional(),
  /** Copies that the server refused, of a mail that was sent without them. */
  copiesRefused: z.array(copyRefusedSchema).optional(),
  /** `_id` of its integration; missing in documents of version 1. */
  integration: z.string().optional(),
  state: messageStateSchema,
  /** The last attempt that has an outcome; 0 before the first. */
  attempt: z.int().nonnegative(),
  /** The attempt that the server accepted. */
  sentBy: z.int().positive().nullable(),
  /** Attempts with an unknown outcome: the server may have the mail more than once. */
  unknownAttempts: z.array(z.int().positive()),
  /** While `deferred`: when to try again. */
  nextAt: z.date().nullable(),
  /** While `deferred`: `_id` of the integration that refused the login, or is suspended. */
  waitsFor: z.string().nullable(),
  /** When its send was accepted; for a scheduled send, when it started. */
  acceptedAt: z.date(),
  /** When a person or a program last sent it again. */
  retriedAt: z.date().optional(),
  finishedAt: z.date().nullable(),
  /** Why it is `failed`, `deferred` or `unknown`, as a sentence. */
  reason: z.string().nullable(),
  reply: smtpReplySchema.nullable(),
  /** The beginning of the subject, encrypted with the key of its send; missing before a mailer had it. */
  sealedSubject: z.string().optional(),
  /** SHA-256 of the MIME of the last attempt, in hex: every later one must be the same. */
  mimeHash: z.string().nullable(),
  /**
   * While `deferred`: the integration that could not be reached by the last attempt, or refused its login. The
   * mail itself was not offered to it.
   */
  unreached: z.int().positive().nullable().optional(),
  /**
   * Its sender's address in lower case, since it was first deferred. Missing if nobody noted it then.
   */
  from: z.string().optional(),
  /** Since when the recipient's data is erased, so that it cannot be sent again. */
  forgottenAt: z.date().optional(),
  timeline: z.array(timelineEntrySchema),
});

/** One recipient's mail. */
export type Message = z.infer<typeof messageSchema>;
