import type {
  AccessToken,
  Batch,
  EmailVersion,
  Integration,
  PdfRef,
  PdfVersion,
  PinnedPdf,
} from "@posthaste/contracts";
import type { StorePart } from "@posthaste/storage";
import { requireUse } from "./authenticate.ts";
import { batchRefused, findBatch, sharedBytes } from "./batch.ts";
import { acceptSendable, type AcceptSendDeps, type AnsweredSend, replay } from "./accept_send.ts";
import { type CheckedSend, checkSend } from "./check_send.ts";
import { httpErrorOf } from "./fault.ts";
import { findIntegration } from "./find_sendable.ts";
import { findSuppressed } from "./find_suppressed.ts";
import { HttpError } from "./http_error.ts";
import type { Idempotency } from "./idempotency.ts";
import type { ReadSendBody, SharedRequest } from "./read_send_body.ts";
import type { RequestStore } from "./request_store.ts";

/** What {@linkcode acceptRecipients} needs. */
export interface AcceptRecipientsDeps
  extends
    Omit<AcceptSendDeps, "store" | "readBody">,
    StorePart<"batches.find" | "batches.pinPdfs"> {
  store: AcceptSendDeps["store"] & Pick<RequestStore, "emailVersion" | "pdfVersion">;
  /** Reads a body within the limits. */
  readRecipients(body: unknown, shared: SharedRequest): ReadSendBody;
}

/** A request to add recipients, by a token's account. */
export interface RecipientsCommand {
  accountId: string;
  /** What the token may do. */
  limits: Pick<AccessToken, "templates" | "integrations" | "scopes">;
  batchId: string;
  /** As parsed from JSON, unchecked. */
  body: unknown;
  idempotency: Idempotency;
  /** W3C `traceparent` of the trace that the send's later spans join. */
  trace: string | undefined;
}

const ACTION = "add the recipients";

/**
 * Accepts recipients of a batch as one send: all or none. A request whose idempotency key was used before gets the
 * earlier answer, even if the batch has ended since.
 *
 * @throws {HttpError} with nothing accepted, as when a send is accepted; `batch_closed`, `batch_full`.
 */
export async function acceptRecipients(
  command: RecipientsCommand,
  deps: AcceptRecipientsDeps,
): Promise<AnsweredSend> {
  const { accountId, batchId, idempotency, limits } = command;
  const { store, quota, batches } = deps;
  const loading = quota.load(accountId);
  const [earlier] = await Promise.all([
    store.findSendByIdempotencyKey(accountId, idempotency.key),
    loading && store.wait("look up the account's usage", () => loading),
  ]);
  if (earlier !== null) return replay(earlier, command);
  const batch = await findBatch(batchId, { accountId, store, batches, action: ACTION });
  const { template: { id: templateId, version }, integrationId, request: shared } = batch;
  requireUse(limits, { templateId, integrationId });
  if (batch.state !== "open" || shared === undefined) throw batchRefused(batchId, "closed");
  const [email, integration] = await Promise.all([
    store.emailVersion(accountId, templateId, version),
    findIntegration({ accountId, integrationId: String(integrationId) }, store),
  ]);
  if (email === null) throw new HttpError("internal", `Cannot ${ACTION}: the template is gone`);
  if (integration === null) {
    const reason = `there is no integration "${integrationId}"`;
    throw new HttpError("unknown_integration", `Cannot ${ACTION}: ${reason}`);
  }
  const read = deps.readRecipients(command.body, shared);
  const { scopes } = limits;
  const checked = await checkPinned(read, { batch, email, integration, shared, scopes }, deps);
  const bytes = store.bytes + sharedBytes(shared);
  quota.admit(accountId, bytes);
  const suppressed = await findSuppressed(checked.request, accountId, deps);
  const sendable = { email, integration, checked, suppressed, batch, bytes };
  return await acceptSendable(sendable, command, deps);
}

interface Pinned {
  batch: Batch;
  email: EmailVersion;
  integration: Integration;
  shared: SharedRequest;
  scopes: AccessToken["scopes"];
}

/**
 * Checks a part of a batch by the versions that the batch has pinned. PDF templates that are new to the batch are
 * pinned once the part is found to be right. If another request has pinned other versions meanwhile, it is checked
 * again.
 */
async function checkPinned(
  read: ReadSendBody,
  { batch, email, integration, shared, scopes }: Pinned,
  deps: AcceptRecipientsDeps,
): Promise<CheckedSend> {
  const { store } = deps;
  const { accountId } = batch;
  const check = async (pinned: readonly PinnedPdf[]) => {
    const fresh: PinnedPdf[] = [];
    const versionOf = async (ref: PdfRef): Promise<PdfVersion | null> => {
      const pin = pinned.find((one) => one.ref === String(ref));
      if (pin !== undefined) return await store.pdfVersion(accountId, pin.id, pin.version);
      const latest = await store.latestPdfVersion(accountId, ref);
      if (latest !== null) {
        fresh.push({ ref: String(ref), id: latest.templateId, version: latest.version });
      }
      return latest;
    };
    const checked = await checkSend(read, {
      ...{ action: ACTION, email, integration, scopes, latestPdfVersion: versionOf },
      findAssetName: (name) => store.findAssetName(accountId, name),
      schedule: { now: deps.now(), maxScheduleMs: deps.maxScheduleMs },
      files: shared.files ?? [],
    });
    return { checked, fresh };
  };
  const { checked, fresh } = await check(batch.pdfs);
  const start = batch.start === "now" && batch.notBefore !== undefined &&
      batch.notBefore > deps.now()
    ? { notBefore: batch.notBefore }
    : {};
  if (fresh.length === 0) return { ...checked, ...start };
  const pins = await pin(batch, fresh, deps);
  const isSame = pins.every(({ id, version }) => (checked.pdfVersions[id] ?? version) === version);
  return { ...(isSame ? checked : (await check(pins)).checked), ...start };
}

/**
 * Pins PDF templates for the batch, and returns all that are pinned.
 *
 * @throws {HttpError} `batch_closed`; `invalid_request` if it would have too many.
 */
async function pin(
  { _id, accountId }: Batch,
  pdfs: readonly PinnedPdf[],
  { store, batches }: AcceptRecipientsDeps,
): Promise<PinnedPdf[]> {
  const pinned = await store.wait(
    "pin the PDF templates",
    () => batches.pinPdfs(accountId, _id, pdfs),
  );
  if (pinned === "closed") throw batchRefused(_id, "closed");
  if (pinned !== "too_many") return pinned;
  const message = "must not use more different PDF templates: the batch has too many";
  throw httpErrorOf(ACTION, [{ path: "to", code: "too_many", message }]);
}
