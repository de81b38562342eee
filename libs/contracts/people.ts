import { z } from "zod";
import { emailAddressSchema } from "./email_address.ts";
import { ROLES } from "./role.ts";

/** A passkey: WebAuthn's credential, of which the private key never leaves its authenticator. */
export const passkeySchema = z.object({
  /** The credential's id, in base64url. */
  id: z.string(),
  /** In COSE form, in base64url. */
  publicKey: z.string(),
  /** Of signatures; an authenticator that keeps none says 0. */
  counter: z.number(),
  transports: z.array(z.string()),
  name: z.string().min(1).max(200),
  createdAt: z.date(),
});

/** A passkey. */
export type Passkey = z.infer<typeof passkeySchema>;

/** What a person shows besides their password. */
export const secondFactorSchema = z.object({
  /** An authenticator app (RFC 6238). */
  totp: z.object({
    /** Sealed under a key of the dashboard alone. */
    secret: z.string(),
    /** The last time step that a code was taken of: none is taken twice. */
    lastStep: z.number(),
  }).nullable(),
  passkeys: z.array(passkeySchema),
  /** SHA-256 of each recovery code that is left, in hex. */
  recoveryCodes: z.array(z.string()),
});

/** What a person shows besides their password. */
export type SecondFactor = z.infer<typeof secondFactorSchema>;

/** Of who has a password alone. */
export const NO_SECOND_FACTOR: Readonly<SecondFactor> = {
  ...{ totp: null, passkeys: [], recoveryCodes: [] },
};

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
  /** The link that was sent last to anyone who has forgotten the password. */
  reset: z.object({
    /** SHA-256 of the link's token, in hex. */
    id: z.string(),
    expiresAt: z.date(),
  }).nullable().default(null),
  name: z.string().min(1).max(200),
  /** argon2id, as a PHC string; null for who signs in elsewhere (OpenID Connect). */
  passwordHash: z.string().nullable(),
  /** `iss` and `sub` of an OpenID Connect provider. */
  oidc: z.object({ issuer: z.string(), subject: z.string() }).nullable().default(null),
  /** SHA-256 of what browsers that were signed in call themselves, the latest last, in hex. */
  knownBrowsers: z.array(z.string()).default([]),
  /** What is asked for after the password. */
  secondFactor: secondFactorSchema.default(() => ({ ...NO_SECOND_FACTOR })),
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
  /** When it was last shown who is at the browser: by signing in, or when asked again. */
  confirmedAt: z.date().nullable().default(null),
  /** What is still to be shown before the browser is signed in. */
  awaits: z.literal("second_factor").nullable().default(null),
  /** The random bytes that a passkey is to sign, in base64url. */
  challenge: z.string().nullable().default(null),
});

/** A browser that is signed in. */
export type Session = z.infer<typeof sessionSchema>;

/** A session that is to be kept; what has a default may be left out. */
export type NewSession = z.input<typeof sessionSchema>;

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
