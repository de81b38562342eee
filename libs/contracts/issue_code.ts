/** Every `code` of an issue: a fault of one field of a request. `code_meanings.ts` describes them. */
export const ISSUE_CODES = [
  "required",
  "wrong_type",
  "empty",
  "too_long",
  "too_many",
  "too_deep",
  "unknown_field",
  "bad_address",
  "bad_characters",
  "bad_key",
  "repeated_field",
  "number_not_exact",
  "number_out_of_range",
  "out_of_range",
  "half_character",
  "sender_not_allowed",
  "unknown_pdf_template",
  "placeholder_in_filename",
  "missing_variable",
  "attachment_not_allowed",
  "unknown_asset",
  "too_many_copies",
  "header_not_allowed",
  "unprintable_variable",
] as const;

/** A fault of one field of a request. */
export type IssueCode = (typeof ISSUE_CODES)[number];

/** Returns the parameters of a check (`refine`, `custom`) whose fault has its own code. */
export function faultParams(code: IssueCode, error: string) {
  return { error, params: { code } };
}

/** Returns whether a value is the code of an issue. */
export function isIssueCode(value: unknown): value is IssueCode {
  return (ISSUE_CODES as readonly unknown[]).includes(value);
}
