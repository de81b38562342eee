/** A message at a place of a source. */
export interface SourceMark {
  /** From 1. */
  line: number;
  /** From 1. */
  column: number;
  severity: "error" | "warning" | "info";
  message: string;
}
