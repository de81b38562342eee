import { MailContentError, type MailContentFault } from "@posthaste/messaging";
import { HttpError } from "./http_error.ts";

const CODES = {
  removed: "not_found",
  no_such_pdf: "not_found",
  template_failed: "template_failed",
  no_answer: "no_answer",
  print_timeout: "no_answer",
  unavailable: "unavailable",
} as const satisfies Record<MailContentFault, string>;

/** Waits for a mail that is generated again; a failure has a reason for people. */
export async function madeAgain<T>(making: Promise<T>): Promise<T> {
  try {
    return await making;
  } catch (error) {
    if (!(error instanceof MailContentError)) throw error;
    throw new HttpError(CODES[error.fault], error.message);
  }
}
