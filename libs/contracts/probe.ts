import { z } from "zod";
import { integrationSchema } from "./documents.ts";

/**
 * Settings to try an SMTP server. The password is sealed for the record that it is bound to (`sealSecret`),
 * whether or not that is stored already.
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
  /** Tried as sender: MAIL FROM is sent, and reset. */
  sender: z.string().optional(),
});

/** Settings to try an SMTP server. */
export type ProbeSettings = z.infer<typeof probeSettingsSchema>;

/** The steps of a probe, in order. */
export const PROBE_STEPS = ["resolve", "connect", "greeting", "tls", "auth", "sender"] as const;

/** One step of a probe. */
const probeStepSchema = z.object({
  step: z.enum(PROBE_STEPS),
  outcome: z.enum(["done", "failed", "skipped"]),
  /** In milliseconds. */
  durationMs: z.number().nonnegative(),
  /** A sentence for people: the result, or the failure. */
  detail: z.string(),
  /** The server's reply. */
  reply: z.string().optional(),
  /** A sentence about what to do. */
  remedy: z.string().optional(),
});

/** One step of a probe. */
export type ProbeStep = z.infer<typeof probeStepSchema>;

/** Reply to `probe.requested`: the steps up to the first failed one, and the others as skipped. */
export const probeReplySchema = z.object({ ok: z.boolean(), steps: z.array(probeStepSchema) });

/** Reply to `probe.requested`. */
export type ProbeReply = z.infer<typeof probeReplySchema>;
