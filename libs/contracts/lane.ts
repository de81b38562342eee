import { z } from "zod";

/**
 * The two lanes that work travels in, at every stage: small requests never wait behind large ones.
 */
export const LANES = ["transactional", "bulk"] as const;

/** Schema of {@linkcode Lane}. */
export const laneSchema = z.enum(LANES);

/** A lane of the pipeline. */
export type Lane = z.infer<typeof laneSchema>;

/** The most recipients that a request may have to travel in the transactional lane. */
export const TRANSACTIONAL_RECIPIENTS = 10;

/**
 * Tells the lane of a request by its number of recipients. It is the best lane that it may have: the
 * api puts an account that floods small requests into `bulk` too.
 */
export function laneOf(recipientCount: number): Lane {
  return recipientCount <= TRANSACTIONAL_RECIPIENTS ? "transactional" : "bulk";
}
