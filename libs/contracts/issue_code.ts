/** Every `code` of an issue: a fault of one field of a request. */
export const ISSUE_CODES = [
  /** The field is missing. */
  "required",
  /** The value has another type, or is not a possible value of the field. */
  "wrong_type",
  /** A text without characters, or a list without items. */
  "empty",
  /** A text with too many characters. */
  "too_long",
  /** A list with too many items. */
  "too_many",
  /** An object that is nested too deep. */
  "too_deep",
  /** There is no field of this name. */
  "unknown_field",
  /** Not one plain e-mail address. */
  "bad_address",
  /** A text with control characters, line breaks or, in a file name, slashes. */
  "bad_characters",
  /** An invalid header `Idempotency-Key`. */
  "bad_key",
  /** A field that occurs twice in one object. */
  "repeated_field",
  /** An integer beyond ±(2^53-1). */
  "number_not_exact",
  /** A number beyond the range of a double. */
  "number_out_of_range",
  /** A time that is too far ahead, or too long ago. */
  "out_of_range",
  /** Half of a surrogate pair. */
  "half_character",
  /** `from.email` is no address of the integration. */
  "sender_not_allowed",
  /** There is no published PDF template of this id or alias. */
  "unknown_pdf_template",
  /** A file name with `{{…}}`. A caller's text is never a template. */
  "placeholder_in_filename",
  /** A template requires a variable that the request lacks. */
  "missing_variable",
  /** A file with an ending that mail servers refuse. */
  "attachment_not_allowed",
  /** The account keeps no file of this name. */
  "unknown_asset",
  /** A send with too many addresses in `cc` and `bcc`. */
  "too_many_copies",
  /** A header that a request must not set. */
  "header_not_allowed",
  /** An object or array that every path through the template prints as text. */
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
