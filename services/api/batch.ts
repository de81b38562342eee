import { type Batch, isBatchId } from "@posthaste/contracts";
import type { BatchRefusal, StorePart } from "@posthaste/storage";
import { HttpError } from "./http_error.ts";
import type { RequestStore } from "./request_store.ts";

/** Which batch is requested. */
export interface AskedBatch extends StorePart<"batches.find"> {
  accountId: string;
  store: Pick<RequestStore, "wait">;
  /** What it is for: `close the batch`. */
  action: string;
}

/**
 * Finds a batch of the account.
 *
 * @throws {HttpError} `unknown_batch`
 */
export async function findBatch(id: string, asked: AskedBatch): Promise<Batch> {
  const { accountId, store, action, batches } = asked;
  const found = isBatchId(id)
    ? await store.wait("look up the batch", () => batches.find(accountId, id))
    : null;
  if (found !== null) return found;
  throw new HttpError("unknown_batch", `Cannot ${action}: there is no batch "${id}"`);
}

/** Returns a batch as clients read it, without the states of its messages. */
export function showBatch({ _id: id, notBefore, ...batch }: Batch) {
  const { state, start, createdAt, closesAt, endedAt, template, integrationId } = batch;
  const { recipients, sends } = batch;
  return {
    ...{ id, state, start, createdAt, closesAt, endedAt, sendAt: notBefore ?? null },
    ...{ template, integrationId, recipients, sends },
  };
}

/** Returns the error of a batch that takes no more recipients. */
export function batchRefused(id = "", refusal: BatchRefusal): HttpError {
  const action = `Cannot add recipients to the batch "${id}"`;
  return refusal === "closed"
    ? new HttpError("batch_closed", `${action}: it is not open`)
    : new HttpError("batch_full", `${action}: it would have too many recipients or sends`);
}

/** Returns the size of what each send of a batch stores besides its recipients, in bytes. */
export function sharedBytes(request: NonNullable<Batch["request"]>): number {
  return Buffer.byteLength(JSON.stringify(request));
}
