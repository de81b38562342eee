/** The result of one kind of attack: a line of the table. */
export interface AttackRow {
  attack: string;
  tries: number;
  /** Of these, how many got through: none may. */
  through: number;
  /** A remark for readers of the table. */
  note?: string;
  seconds: number;
}
