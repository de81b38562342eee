import type {
  AccessToken,
  EmailVersion,
  Integration,
  Message,
  PdfVersion,
  Send,
} from "@posthaste/contracts";
import type { Logger } from "@posthaste/telemetry";
import { Refusal } from "./refusal.ts";

/** What acceptance of a send came to. */
export type Acceptance = { accepted: true } | { accepted: false; existing: Send };

/** What the interface asks of the database, and nothing else. */
export interface Ledger {
  /** The token of this plain text. */
  findToken(plaintext: string): Promise<AccessToken | null>;
  /** The newest published version of an email template, by id or alias. */
  latestEmailVersion(accountId: string, idOrAlias: string): Promise<EmailVersion | null>;
  /** The newest published version of a PDF template. */
  latestPdfVersion(accountId: string, id: number): Promise<PdfVersion | null>;
  findIntegration(accountId: string, id: number): Promise<Integration | null>;
  /** The send that was accepted under an `Idempotency-Key` in the last 7 days. */
  findSendByIdempotencyKey(accountId: string, key: string): Promise<Send | null>;
  /** Writes a send durably, or finds the one that came first under its `Idempotency-Key`. */
  acceptSend(send: Send): Promise<Acceptance>;
  findSend(accountId: string, id: string): Promise<Send | null>;
  findMessage(accountId: string, id: string): Promise<Message | null>;
  /** The messages of a send; those that nobody touched yet may be left out. */
  listMessages(accountId: string, sendId: string): Promise<Message[] | null>;
}

/** Settings of {@linkcode guardLedger}. */
export interface GuardOptions {
  /** Longest wait for one operation, in milliseconds. */
  timeoutMs: number;
  logger: Pick<Logger, "error">;
}

const RETRY_AFTER_SECONDS = 2;

/**
 * Bounds every operation in time and turns its failure into the refusal `unavailable`: a database
 * that is gone or hangs is answered soon, and never with success.
 */
export function guardLedger(ledger: Ledger, { timeoutMs, logger }: GuardOptions): Ledger {
  function guard<Args extends unknown[], Result>(
    action: string,
    operation: (...args: Args) => Promise<Result>,
  ): (...args: Args) => Promise<Result> {
    return async (...args) => {
      const { promise: late, reject } = Promise.withResolvers<never>();
      const timer = setTimeout(
        () => reject(new DOMException(`no answer within ${timeoutMs} ms`, "TimeoutError")),
        timeoutMs,
      );
      try {
        return await Promise.race([operation(...args), late]);
      } catch (cause) {
        logger.error(`Cannot ${action}: the ledger does not answer as it should`, { error: cause });
        throw new Refusal("unavailable", `Cannot ${action}: try again soon`, {
          cause,
          retryAfter: RETRY_AFTER_SECONDS,
        });
      } finally {
        clearTimeout(timer);
      }
    };
  }
  return {
    findToken: guard("look up the token", ledger.findToken),
    latestEmailVersion: guard("look up the template", ledger.latestEmailVersion),
    latestPdfVersion: guard("look up the PDF template", ledger.latestPdfVersion),
    findIntegration: guard("look up the integration", ledger.findIntegration),
    findSendByIdempotencyKey: guard("look up the idempotency key", ledger.findSendByIdempotencyKey),
    acceptSend: guard("accept the send", ledger.acceptSend),
    findSend: guard("look up the send", ledger.findSend),
    findMessage: guard("look up the message", ledger.findMessage),
    listMessages: guard("look up the messages", ledger.listMessages),
  };
}
