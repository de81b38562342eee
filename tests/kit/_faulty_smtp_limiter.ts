/** The limits of a normal server, which refuses temporarily. */
export interface FaultySmtpLimits {
  /** 421 for a connection above this number at the same time. */
  readonly connections?: number;
  /** 452 for a recipient above this rate. */
  readonly rate?: { readonly count: number; readonly perMs: number };
  /** 451 for a sender and recipient until this long after their first try. */
  readonly greylistMs?: number;
}

/** Counts connections and recipients, to refuse those above the limits. */
export class FaultySmtpLimiter {
  limits: FaultySmtpLimits;
  #taken: number[] = [];
  #firstTries = new Map<string, number>();

  constructor(limits: FaultySmtpLimits) {
    this.limits = limits;
  }

  /** Returns the refusal of a connection, if there is one. */
  ofConnection(open: number): string | undefined {
    const { connections = Infinity } = this.limits;
    return open > connections ? "421 4.7.0 Too many connections" : undefined;
  }

  /** Returns the refusal of a recipient, if there is one. */
  ofRecipient(from: string, to: string, now = Date.now()): string | undefined {
    const { rate, greylistMs } = this.limits;
    if (greylistMs !== undefined) {
      const pair = `${from} ${to}`;
      const first = this.#firstTries.get(pair) ?? now;
      this.#firstTries.set(pair, first);
      if (now - first < greylistMs || first === now) return "451 4.7.1 Greylisted, come back later";
    }
    if (rate === undefined) return undefined;
    this.#taken = this.#taken.filter((at) => at > now - rate.perMs);
    if (this.#taken.length >= rate.count) return "452 4.7.1 Too many mails, come back later";
    this.#taken.push(now);
    return undefined;
  }
}
