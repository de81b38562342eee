import { z } from "zod";
import { emailAddressSchema } from "./email_address.ts";
import { ROLES } from "./role.ts";

/** A passkey: a WebAuthn credential, whose private key never leaves its authenticator. */
const passkeySchema = z.object({
  /** The credential's id, in base64url. */
  id: z.string(),
  /** In COSE form, in base64url. */
  publicKey: z.string(),
  /** Counter of signatures; 0 for an authenticator that does not count. */
  counter: z.number(),
  transports: z.array(z.string()),
  name: z.string().min(1).max(200),
  createdAt: z.date(),
});

/** A passkey. */
export type Passkey = z.infer<typeof passkeySchema>;

/** The proofs of identity besides the password. */
const secondFactorSchema = z.object({
  /** An authenticator app (RFC 6238). */
  totp: z.object({
    /** Sealed under a key that only the dashboard has. */
    secret: z.string(),
    /** The last time step whose code was used: none is accepted twice. */
    lastStep: z.number(),
  }).nullable(),
  passkeys: z.array(passkeySchema),
  /** SHA-256 of each unused recovery code, in hex. */
  recoveryCodes: z.array(z.string()),
});

/** The proofs of identity besides the password. */
export type SecondFactor = z.infer<typeof secondFactorSchema>;

/** The second factor of a user who has only a password. */
export const NO_SECOND_FACTOR: Readonly<SecondFactor> = {
  ...{ totp: null, passkeys: [], recoveryCodes: [] },
};

/** A person who signs in to the dashboard. */
export const userSchema = z.object({
  /** `usr_` and a ULID. */
  _id: z.string(),
  /** In lower case. It identifies a user only after it is proven: several users may have the same. */
  email: emailAddressSchema,
  /**
   * When the user proved the address, by a link that was sent there or by a provider's verified claim. No two
   * users have proven the same address.
   */
  emailProvenAt: z.date().nullable().default(null),
  /**
   * The only account of a user who joined by an invitation's link, which others may have copied, until the
   * address is proven.
   */
  onlyAccountId: z.string().nullable().default(null),
  /** The last link that was sent to the address to prove it. */
  proof: z.object({
    /** SHA-256 of the link's token, in hex. */
    id: z.string(),
    expiresAt: z.date(),
  }).nullable().default(null),
  /** The last link that was sent to reset the password. */
  reset: z.object({
    /** SHA-256 of the link's token, in hex. */
    id: z.string(),
    expiresAt: z.date(),
  }).nullable().default(null),
  name: z.string().min(1).max(200),
  /** argon2id, as a PHC string; null for users who sign in elsewhere (OpenID Connect). */
  passwordHash: z.string().nullable(),
  /** `iss` and `sub` of an OpenID Connect provider. */
  oidc: z.object({ issuer: z.string(), subject: z.string() }).nullable().default(null),
  /** SHA-256 of the user agents of browsers that were signed in, the latest last, in hex. */
  knownBrowsers: z.array(z.string()).default([]),
  /** The factor that is required after the password. */
  secondFactor: secondFactorSchema.default(() => ({ ...NO_SECOND_FACTOR })),
  createdAt: z.date(),
});

/** A person who signs in to the dashboard. */
export type User = z.infer<typeof userSchema>;

/** The membership of a person in an account. */
export const memberSchema = z.object({
  /** `<account>/<user>` */
  _id: z.string(),
  accountId: z.string(),
  userId: z.string(),
  role: z.enum(ROLES),
  createdAt: z.date(),
});

/** The membership of a person in an account. */
export type Member = z.infer<typeof memberSchema>;

/** A browser that is signed in. */
export const sessionSchema = z.object({
  /** SHA-256 of the cookie's token, in hex. */
  _id: z.string(),
  userId: z.string(),
  /** The account that is shown. */
  accountId: z.string(),
  /** Sent back with every change, in `x-csrf-token`. */
  csrfToken: z.string(),
  userAgent: z.string().max(400),
  createdAt: z.date(),
  lastSeenAt: z.date(),
  expiresAt: z.date(),
  /** When the user last proved their identity: at the sign-in, or when asked again. */
  confirmedAt: z.date().nullable().default(null),
  /** The proof that is still required before the browser is signed in. */
  awaits: z.literal("second_factor").nullable().default(null),
  /** The random bytes that a passkey is to sign, in base64url. */
  challenge: z.string().nullable().default(null),
});

/** A browser that is signed in. */
export type Session = z.infer<typeof sessionSchema>;

/** A session to store. Fields with a default may be left out. */
export type NewSession = z.input<typeof sessionSchema>;

/** An invitation to an account, sent as a link. */
export const invitationSchema = z.object({
  /** SHA-256 of the link's token, in hex. */
  _id: z.string(),
  accountId: z.string(),
  email: emailAddressSchema,
  role: z.enum(ROLES),
  invitedBy: z.string(),
  /** Whether the link was only sent to the address and never displayed, so that it proves the owner. */
  isMailed: z.boolean().default(false),
  createdAt: z.date(),
  expiresAt: z.date(),
});

/** An invitation to an account. */
export type Invitation = z.infer<typeof invitationSchema>;

/** An invitation to store. Fields with a default may be left out. */
export type NewInvitation = z.input<typeof invitationSchema>;

/** One line of an account's audit log: who changed what. */
export const auditEntrySchema = z.object({
  /** A ULID: entries sort by time. */
  _id: z.string(),
  accountId: z.string(),
  at: z.date(),
  /** Null if no person did it. */
  userId: z.string().nullable(),
  /** The user's address at that time. */
  userEmail: z.string().nullable(),
  /** `<thing>.<verb>`: `template.published`, `token.revoked`. */
  action: z.string(),
  /** The object of the action, in words: `email template 3 (welcome)`. */
  target: z.string(),
  /** Further details, never a secret. */
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
});

/** One line of an account's audit log. */
export type AuditEntry = z.infer<typeof auditEntrySchema>;
