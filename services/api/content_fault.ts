import type { ErrorCode } from "@posthaste/contracts";
import { HttpError } from "./http_error.ts";
import { MailContentError, type MailContentFault } from "@posthaste/messaging";
import { RETRY_AFTER_SECONDS } from "./retry_after.ts";

const CODES = {
  removed: "content_removed",
  template_failed: "template_failed",
  no_answer: "render_timeout",
  print_timeout: "print_timeout",
  unavailable: "unavailable",
} as const satisfies Record<Exclude<MailContentFault, "no_such_pdf">, ErrorCode>;

/**
 * Waits for content that is being generated.
 *
 * @param action What fails without it: `make the mail again`.
 * @throws {HttpError} `content_removed`, `template_failed`, `render_timeout`, `print_timeout` or
 * `unavailable`
 */
export async function contentOf<T>(action: string, making: Promise<T>): Promise<T> {
  try {
    return await making;
  } catch (cause) {
    if (!(cause instanceof MailContentError) || cause.fault === "no_such_pdf") throw cause;
    const code = CODES[cause.fault];
    throw new HttpError(code, `Cannot ${action}: ${cause.message}`, {
      cause,
      ...(code === "unavailable" ? { retryAfter: RETRY_AFTER_SECONDS } : {}),
    });
  }
}
