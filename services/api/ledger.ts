import type {
  AccessToken,
  EmailVersion,
  Integration,
  Message,
  PdfRef,
  PdfVersion,
  Send,
} from "@posthaste/contracts";
import type { Store } from "@posthaste/storage";

/** What acceptance of a send came to. `existing` is null where another request has its key, and no send yet. */
export type Acceptance = { accepted: true } | { accepted: false; existing: Send | null };

/** What the interface asks of the database, and nothing else. */
export interface Ledger {
  findAccount: Store["accounts"]["find"];
  listPublishedTemplates: Store["templates"]["listPublished"];
  findPublishedTemplate: Store["templates"]["findPublished"];
  /** The bytes of an account's file, by their hash. */
  findAsset: Store["assets"]["find"];
  findAssetName: Store["assets"]["findName"];
  keepAssets: Store["assets"]["keep"];
  listIntegrationSummaries: Store["integrations"]["listSummaries"];
  findIntegrationSummary: Store["integrations"]["findSummary"];
  /** The token of this plain text. */
  findToken(plaintext: string): Promise<AccessToken | null>;
  /** The newest published version of an email template, by id or alias. */
  latestEmailVersion(accountId: string, idOrAlias: string): Promise<EmailVersion | null>;
  /** The newest published version of a PDF template, by id or alias. */
  latestPdfVersion(accountId: string, ref: PdfRef): Promise<PdfVersion | null>;
  /** A version of an email template. */
  emailVersion(accountId: string, id: number, version: number): Promise<EmailVersion | null>;
  /** A version of a PDF template. */
  pdfVersion(accountId: string, id: number, version: number): Promise<PdfVersion | null>;
  findIntegration(accountId: string, id: number): Promise<Integration | null>;
  /** The send that was accepted under an `Idempotency-Key` in the last 7 days. */
  findSendByIdempotencyKey(accountId: string, key: string): Promise<Send | null>;
  /** Writes a send durably, or finds the one that came first under its `Idempotency-Key`. */
  acceptSend(send: Send): Promise<Acceptance>;
  /**
   * Takes back a send that may have been written although its caller was told otherwise, or may
   * still be. Gives `false` if it is too late.
   */
  withdrawSend(send: Pick<Send, "_id" | "reconcileAt">): Promise<boolean>;
  findSend(accountId: string, id: string): Promise<Send | null>;
  findMessage(accountId: string, id: string): Promise<Message | null>;
  /** Why messages wait, and for how many others. */
  findPlaces: Store["messages"]["findPlaces"];
  /** The messages of a send; those that nobody touched yet may be left out. */
  listMessages(accountId: string, sendId: string): Promise<Message[] | null>;
}

/** The bytes that accounts had accepted, as the ledger knows them. */
export interface Usage {
  noteUsage: Store["usage"]["note"];
  listUsage: Store["usage"]["list"];
}
