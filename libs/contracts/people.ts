import { z } from "zod";
import { emailAddressSchema } from "./email_address.ts";
import { ROLES } from "./role.ts";

/** A person who signs in to the dashboard. */
export const userSchema = z.object({
  /** `usr_` and a ULID. */
  _id: z.string(),
  /** In lower case. Until it is proven it identifies nobody: others may have the same. */
  email: emailAddressSchema,
  /**
   * When it was shown that the address is theirs, by a link that was sent there or by a provider's
   * verified claim. No two have proven the same.
   */
  emailProvenAt: z.date().nullable().default(null),
  /**
   * Who came by an invitation's link, which anybody may have copied, is a member of that account and of
   * no other until the address is proven.
   */
  onlyAccountId: z.string().nullable().default(null),
  /** The link that was sent to the address last, and proves it. */
  proof: z.object({
    /** SHA-256 of the link's token, in hex. */
    id: z.string(),
    expiresAt: z.date(),
  }).nullable().default(null),
  name: z.string().min(1).max(200),
  /** argon2id, as a PHC string; null for who signs in elsewhere (OpenID Connect). */
  passwordHash: z.string().nullable(),
  /** `iss` and `sub` of an OpenID Connect provider. */
  oidc: z.object({ issuer: z.string(), subject: z.string() }).nullable().default(null),
  createdAt: z.date(),
});

/** A person who signs in to the dashboard. */
export type User = z.infer<typeof userSchema>;

/** That a person belongs to an account. */
export const memberSchema = z.object({
  /** `<account>/<user>` */
  _id: z.string(),
  accountId: z.string(),
  userId: z.string(),
  role: z.enum(ROLES),
  createdAt: z.date(),
});

/** That a person belongs to an account. */
export type Member = z.infer<typeof memberSchema>;

/** A browser that is signed in. */
export const sessionSchema = z.object({
  /** SHA-256 of the cookie's token, in hex. */
  _id: z.string(),
  userId: z.string(),
  /** The account that is looked at. */
  accountId: z.string(),
  /** Sent back with every change, in `x-csrf-token`. */
  csrfToken: z.string(),
  userAgent: z.string().max(400),
  createdAt: z.date(),
  lastSeenAt: z.date(),
  expiresAt: z.date(),
});

/** A browser that is signed in. */
export type Session = z.infer<typeof sessionSchema>;

/** An invitation to an account, sent as a link. */
export const invitationSchema = z.object({
  /** SHA-256 of the link's token, in hex. */
  _id: z.string(),
  accountId: z.string(),
  email: emailAddressSchema,
  role: z.enum(ROLES),
  invitedBy: z.string(),
  /** Whether the link was sent to the address, and shown to nobody: it proves whose it is. */
  isMailed: z.boolean().default(false),
  createdAt: z.date(),
  expiresAt: z.date(),
});

/** An invitation to an account. */
export type Invitation = z.infer<typeof invitationSchema>;

/** An invitation that is to be kept; what has a default may be left out. */
export type NewInvitation = z.input<typeof invitationSchema>;

/** One line of an account's audit log: who changed what. */
export const auditEntrySchema = z.object({
  /** A ULID: entries sort by time. */
  _id: z.string(),
  accountId: z.string(),
  at: z.date(),
  /** Null for what no person did. */
  userId: z.string().nullable(),
  /** As they were called then. */
  userEmail: z.string().nullable(),
  /** `<thing>.<verb>`: `template.published`, `token.revoked`. */
  action: z.string(),
  /** What it was done to, in words: `email template 3 (welcome)`. */
  target: z.string(),
  /** More about it, never a secret. */
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
});

/** One line of an account's audit log. */
export type AuditEntry = z.infer<typeof auditEntrySchema>;
