import { z } from "zod";
import { INTEGRATION_STATES } from "./integration_state.ts";

/** Schema of an integration for programs: without host, user or any secret. */
export const integrationSummarySchema = z.strictObject({
  id: z.int().positive(),
  name: z.string(),
  /** Addresses allowed in `from.email`. */
  senders: z.array(z.string()),
  state: z.enum(INTEGRATION_STATES),
  /** The cause of the state, as a sentence; null if there is no obstacle. */
  reason: z.string().nullable(),
  /** Since when it sends nothing, or every attempt has failed, ISO 8601. */
  since: z.iso.datetime().nullable(),
  /** Time before which nothing is tried, ISO 8601; null while the circuit is closed. */
  openUntil: z.iso.datetime().nullable(),
  /** Messages that wait for it, up to 10,000. */
  waiting: z.int().nonnegative(),
  /** The domain that its mail is signed for; null if it is not signed here. */
  signsFor: z.string().nullable(),
});

/** An integration for programs. */
export type IntegrationSummary = z.infer<typeof integrationSummarySchema>;
