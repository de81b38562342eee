import type { SecureVersion } from "node:tls";
import type { FaultySmtpLimits } from "./_faulty_smtp_limiter.ts";
import type { FaultPlan } from "./faulty_smtp_plan.ts";
import type { FaultySmtpRecord } from "./faulty_smtp_record.ts";

/** How a faulty server checks access tokens. */
export interface FaultySmtpTokens {
  /** Both by default. */
  mechanisms?: readonly ("XOAUTH2" | "OAUTHBEARER")[];
  /** Returns whether a login is right, or the reply that refuses it. */
  accepts(user: string, token: string): boolean | string;
  /** The status in a challenge before a refusal, as Google sends it. None by default, as at Microsoft. */
  challenge?: string;
}

/** Settings of {@linkcode openFaultySmtp}. */
export interface FaultySmtpOptions {
  /** 0, the default, takes a free port. */
  port?: number;
  /** `none` by default. */
  tls?: "none" | "starttls" | "implicit";
  /** `testCertificate` by default. */
  certificate?: { readonly key: string; readonly cert: string };
  /** The newest version of TLS that it speaks. */
  maxTls?: SecureVersion;
  /** User names and their passwords; with any, a login is required. */
  users?: Readonly<Record<string, string>>;
  /** Logins by access tokens. */
  tokens?: FaultySmtpTokens;
  /** EHLO keywords to leave out. */
  hide?: readonly ("PIPELINING" | "SMTPUTF8" | "8BITMIME" | "SIZE")[];
  /** The largest message in bytes, announced with SIZE. */
  maxBytes?: number;
  limits?: FaultySmtpLimits;
  /** How it misbehaves; not at all by default. */
  plan?: FaultPlan;
  /**
   * Takes any line end for a line end and, around a dot, for the end of a mail, as servers did that
   * were open to SMTP smuggling: what a mail hides in its body becomes commands.
   */
  lenient?: boolean;
  /** Called for every line of the ledger when it is certain, before the client hears of it; and of the
   * content, if its final dot came. */
  onRecord?: (record: FaultySmtpRecord, raw: Buffer | null) => void;
  /** Keeps records and contents in memory. On by default. */
  keep?: boolean;
}
