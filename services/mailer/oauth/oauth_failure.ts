/** What is known of a failure beside its reason. */
export interface OauthFailureDetails {
  /** Whether only a person can repair it. */
  isPermanent: boolean;
  /** A sentence about what to do. */
  remedy: string;
  /** Wait that the provider asks for, in milliseconds. */
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/** No access token was issued. The message is a sentence for people, without a secret. */
export class OauthFailure extends Error {
  override readonly name = "OauthFailure";
  readonly isPermanent: boolean;
  readonly remedy: string;
  readonly retryAfterMs: number | undefined;

  constructor(reason: string, { isPermanent, remedy, retryAfterMs, cause }: OauthFailureDetails) {
    super(reason, cause === undefined ? {} : { cause });
    this.isPermanent = isPermanent;
    this.remedy = remedy;
    this.retryAfterMs = retryAfterMs;
  }

  /** The reason with the remedy. */
  get sentence(): string {
    return `${this.message}. ${this.remedy}`;
  }
}

const LATER = "It is tried again by itself; if it lasts, ask the operator whether port 443 is open";

/** Returns the failure of a request that may succeed later. */
export function unavailable(
  reason: string,
  { retryAfterMs, cause }: { retryAfterMs?: number | undefined; cause?: unknown } = {},
): OauthFailure {
  return new OauthFailure(reason, { isPermanent: false, remedy: LATER, retryAfterMs, cause });
}
