import type { SealedSecret } from "@posthaste/contracts";

/** An access token for an SMTP server. */
export interface SmtpToken {
  /** Random. */
  id: string;
  sealed: SealedSecret;
  obtainedAt: Date;
  /** When it should be renewed. It is valid until `expiresAt`. */
  renewAt: Date;
  expiresAt: Date;
  /** Whether it replaced one that the server had refused. */
  isReplacement: boolean;
}

/** Why the provider issued no token. */
export interface SmtpTokenFailure {
  /** A sentence for people. */
  reason: string;
  remedy: string;
  isPermanent: boolean;
  /** The provider is not asked before this. */
  retryAt: Date;
}

/** The mailers' common knowledge of an integration's access token. */
export interface SmtpTokenState {
  /** `_id` of the integration. */
  _id: string;
  accountId: string;
  /** Random, and another one after each answer of the provider; null before the first. */
  version: string | null;
  /** The revision of the integration that the provider was asked for. */
  revision?: number;
  token?: SmtpToken;
  /** Of the last answer, if it was no token. */
  failure?: SmtpTokenFailure;
  /** The mailer that asks the provider now. */
  lease?: { holder: string; until: Date };
  /** The document is removed then. */
  keptUntil: Date;
}
