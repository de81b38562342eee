import { z } from "zod";
import { integrationSchema } from "./documents.ts";

/**
 * What is needed to try an SMTP server. The password is sealed for the record that it is bound to
 * (`sealSecret`), whether that is stored already or not.
 */
export const probeSettingsSchema = integrationSchema.pick({
  host: true,
  port: true,
  tls: true,
  ca: true,
  allowInvalidCertificate: true,
  auth: true,
}).extend({
  /** `_id` of the integration that the password is sealed for. */
  recordId: z.string(),
  /** Tried as sender: MAIL FROM is said, and taken back. */
  sender: z.string().optional(),
});

/** What is needed to try an SMTP server. */
export type ProbeSettings = z.infer<typeof probeSettingsSchema>;

/** The steps of a probe, in the order in which they are done. */
export const PROBE_STEPS = ["resolve", "connect", "greeting", "tls", "auth", "sender"] as const;

/** One step of a probe. */
export const probeStepSchema = z.object({
  step: z.enum(PROBE_STEPS),
  outcome: z.enum(["done", "failed", "skipped"]),
  /** In milliseconds. */
  durationMs: z.number().nonnegative(),
  /** A sentence for people: what was found, or what went wrong. */
  detail: z.string(),
  /** The server's reply. */
  reply: z.string().optional(),
  /** What to do about it, as a sentence. */
  remedy: z.string().optional(),
});

/** One step of a probe. */
export type ProbeStep = z.infer<typeof probeStepSchema>;

/** Reply to `probe.requested`: the steps up to the first that failed, the others as skipped. */
export const probeReplySchema = z.object({ ok: z.boolean(), steps: z.array(probeStepSchema) });

/** Reply to `probe.requested`. */
export type ProbeReply = z.infer<typeof probeReplySchema>;
