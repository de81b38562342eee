import { z } from "zod";
import { INTEGRATION_STATES } from "./integration_state.ts";

/** An integration as a program sees it: without host, user or any secret. */
export const integrationSummarySchema = z.strictObject({
  id: z.int().positive(),
  name: z.string(),
  /** Addresses that may stand in `from.email`. */
  senders: z.array(z.string()),
  state: z.enum(INTEGRATION_STATES),
  /** Why it is so, as a sentence; null where nothing is in the way. */
  reason: z.string().nullable(),
  /** Since when it sends nothing, or every attempt has failed, ISO 8601. */
  since: z.iso.datetime().nullable(),
  /** Nothing is tried before this, ISO 8601; null where it is not left alone. */
  openUntil: z.iso.datetime().nullable(),
  /** Messages that wait for it, up to 10,000. */
  waiting: z.int().nonnegative(),
  /** The domain that its mail is signed for; null where nobody here signs it. */
  signsFor: z.string().nullable(),
});

/** An integration as a program sees it. */
export type IntegrationSummary = z.infer<typeof integrationSummarySchema>;
