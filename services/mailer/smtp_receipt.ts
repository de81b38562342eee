import type { SmtpReply } from "@posthaste/smtp";

/** The server's acceptance. */
export interface SmtpReceipt {
  readonly response: string;
  readonly code: number;
  readonly enhanced?: string;
  /** From taking a free connection to the reply. */
  readonly durationMs: number;
}

/** Returns the receipt of a mail that a server accepted, with the time that it took. */
export function receiptOf({ code, enhanced, text }: SmtpReply, durationMs: number): SmtpReceipt {
  return {
    ...{ code, response: text, durationMs },
    ...(enhanced === undefined ? {} : { enhanced }),
  };
}
