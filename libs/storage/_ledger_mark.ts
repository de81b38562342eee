/** The record of a ledger's migration. */
export interface LedgerMark {
  _id: "ledger";
  /** Version of the newest program that has migrated it. */
  version: number;
  /** The oldest version of a program that may run beside that one. */
  oldestProgram: number;
  migratedAt: Date;
}
