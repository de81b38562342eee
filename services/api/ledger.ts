import type {
  AccessToken,
  EmailVersion,
  Integration,
  Message,
  PdfRef,
  PdfVersion,
  Send,
} from "@posthaste/contracts";
import type { Acceptance, AccountLocale, Store } from "@posthaste/storage";

/** The operations of the database that the interface uses. */
export interface Ledger {
  findAccount: Store["accounts"]["find"];
  /** The language of an account's mail, where a request names none. */
  accountLocale: AccountLocale;
  listPublishedTemplates: Store["templates"]["listPublished"];
  findPublishedTemplate: Store["templates"]["findPublished"];
  /** The bytes of an account's file, by their hash. */
  findAsset: Store["assets"]["find"];
  findAssetName: Store["assets"]["findName"];
  keepAssets: Store["assets"]["keep"];
  /** An image that mails show by its URL. */
  findShownAsset: Store["assets"]["findShown"];
  listIntegrationSummaries: Store["integrations"]["listSummaries"];
  findIntegrationSummary: Store["integrations"]["findSummary"];
  /** Finds the token with this plain text. */
  findToken(plaintext: string): Promise<AccessToken | null>;
  /** Finds the newest published version of an email template, by id or alias. */
  latestEmailVersion(accountId: string, idOrAlias: string): Promise<EmailVersion | null>;
  /** Finds the newest published version of a PDF template, by id or alias. */
  latestPdfVersion(accountId: string, ref: PdfRef): Promise<PdfVersion | null>;
  /** Finds a version of an email template. */
  emailVersion(accountId: string, id: number, version: number): Promise<EmailVersion | null>;
  /** Finds a version of a PDF template. */
  pdfVersion(accountId: string, id: number, version: number): Promise<PdfVersion | null>;
  findIntegration(accountId: string, id: number): Promise<Integration | null>;
  /** Finds the send that was accepted under an `Idempotency-Key` in the last 7 days. */
  findSendByIdempotencyKey(accountId: string, key: string): Promise<Send | null>;
  /** Writes a send durably, or finds the first one with its `Idempotency-Key`. */
  acceptSend(send: Send): Promise<Acceptance>;
  /**
   * Withdraws a send that may have been written, or may still be, although its caller got an error.
   * Returns `false` if it is too late.
   */
  withdrawSend(send: Pick<Send, "_id" | "reconcileAt">): Promise<boolean>;
  findSend(accountId: string, id: string): Promise<Send | null>;
  findMessage: Store["messages"]["findWithHead"];
  /** Finds why messages wait, and for how many others. */
  findPlaces: Store["messages"]["findPlaces"];
  /** Lists the messages of a send; those that no worker has handled yet may be left out. */
  listMessages(accountId: string, sendId: string): Promise<Message[] | null>;
}

/** The bytes that accounts had accepted, as stored in the ledger. */
export interface Usage {
  noteUsage: Store["usage"]["note"];
  listUsage: Store["usage"]["list"];
}
