import { clipped } from "./_clipped.ts";

/**
 * The parts of an email template are `subject`, `html` and `text`, those of a PDF template `html` and `invoice`,
 * the XML of its invoice.
 */
export const TEMPLATE_PARTS = ["subject", "html", "text", "invoice"] as const;

/** A part of a template. */
export type TemplatePart = (typeof TEMPLATE_PARTS)[number];

/** A fault in a template, at its place in the author's source. */
export interface TemplateError {
  readonly part: TemplatePart;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** Name of the partial that has the fault; missing for the template itself. */
  readonly partial?: string;
  /** One sentence for the author, without a final period. */
  readonly message: string;
}

/** The most faults to report, and characters of each: a source can have any number. */
const MAX_ERRORS = 100;
const MESSAGE_LENGTH = 400;

/** Returns the faults to report: at most as many and as long as an author reads. */
export function reportable(errors: readonly TemplateError[]): TemplateError[] {
  return errors.slice(0, MAX_ERRORS)
    .map((error) => ({ ...error, message: clipped(error.message, MESSAGE_LENGTH) }));
}

/** A template cannot be published. Contains every fault that was found. */
export class InvalidTemplateError extends Error {
  override readonly name = "InvalidTemplateError";
  readonly errors: readonly TemplateError[];

  constructor(errors: readonly TemplateError[]) {
    const [first] = errors;
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
    const source = first?.partial === undefined ? first?.part : `partial "${first.partial}"`;
    const where = first ? `${source}, line ${first.line}: ${first.message}` : "no reason given";
    super(clipped(`Cannot publish the template: ${where}${more}`, 2 * MESSAGE_LENGTH));
    this.errors = reportable(errors);
  }
}
