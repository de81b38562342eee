/** An error or a warning about a file of a bundle. */
export interface FileFault {
  /** With slashes: `email/welcome/subject.hbs`. */
  file: string;
  /** From 1; missing if the whole file is meant. */
  line?: number | undefined;
  /** From 1. */
  column?: number | undefined;
  message: string;
  /** Code of the template rule that it breaks. */
  rule?: string;
}
