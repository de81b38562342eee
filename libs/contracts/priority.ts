import { z } from "zod";

/**
 * The two priorities that work travels in, at every stage: small requests never wait behind large ones.
 */
export const PRIORITIES = ["transactional", "bulk"] as const;

/** Schema of {@linkcode Priority}. */
export const prioritySchema = z.enum(PRIORITIES);

/** A priority of the pipeline. */
export type Priority = z.infer<typeof prioritySchema>;

/** The most recipients that a request may have to travel with transactional priority. */
export const TRANSACTIONAL_RECIPIENTS = 10;

/**
 * Returns the priority of a request by its number of recipients. It is the best priority that it may have: the
 * api puts an account that floods small requests into `bulk` too.
 */
export function priorityOf(recipientCount: number): Priority {
  return recipientCount <= TRANSACTIONAL_RECIPIENTS ? "transactional" : "bulk";
}
