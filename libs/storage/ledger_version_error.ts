/** A ledger's documents are of a version that this program may not work with. The message says what to do. */
export class LedgerVersionError extends Error {
  override name = "LedgerVersionError";
}
