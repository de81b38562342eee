/** Addresses do not fit on the suppression list of an account. */
export class SuppressionsFullError extends Error {
  override name = "SuppressionsFullError";
  /** How many entries the list has. */
  readonly entries: number;
  /** How many it may have. */
  readonly max: number;

  constructor({ entries, max, added }: { entries: number; max: number; added: number }) {
    super(
      `Cannot add ${added} ${added === 1 ? "address" : "addresses"} to the suppression list: ` +
        `it has ${entries} of at most ${max} entries`,
    );
    this.entries = entries;
    this.max = max;
  }
}
