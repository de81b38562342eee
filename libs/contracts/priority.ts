import { z } from "zod";

/** The two priorities of work, at every stage: small requests never wait behind large ones. */
export const PRIORITIES = ["transactional", "bulk"] as const;

/** Schema of {@linkcode Priority}. */
export const prioritySchema = z.enum(PRIORITIES);

/** A priority of the pipeline. */
export type Priority = z.infer<typeof prioritySchema>;

/** The most recipients of a request with transactional priority. */
export const TRANSACTIONAL_RECIPIENTS = 10;

/**
 * Returns the priority of a request by its number of recipients. It is an upper limit: the api also puts
 * accounts that flood small requests into `bulk`.
 */
export function priorityOf(recipientCount: number): Priority {
  return recipientCount <= TRANSACTIONAL_RECIPIENTS ? "transactional" : "bulk";
}
