/** What came of one kind of attack: a line of the table. */
export interface AttackRow {
  attack: string;
  tries: number;
  /** Of these, how many got through: none may. */
  through: number;
  /** What a reader of the table should know. */
  note?: string;
  seconds: number;
}
