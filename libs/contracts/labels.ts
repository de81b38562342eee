import { z } from "zod";
import { faultParams } from "./issue_code.ts";
import { utf8Bytes } from "./_utf8_bytes.ts";

const MAX_REFERENCE_LENGTH = 100;
const MAX_TAGS = 10;
const MAX_ENTRIES = 20;
const MAX_KEY_LENGTH = 40;
const MAX_VALUE_LENGTH = 500;

/**
 * The most metadata of one message, in bytes of JSON. Twenty of the longest entries in ASCII fit. With what else
 * an event has, the body of a webhook has at most 20,000 bytes: some endpoints refuse larger ones.
 */
export const MAX_METADATA_BYTES = 14_000;

const PRINTABLE = /^[^\p{C}\p{Zl}\p{Zp}]*$/u;
const TAG = /^[\w.:-]{1,64}$/;

const metadataSchema = z.custom<Record<string, string>>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  faultParams("wrong_type", "must be an object of names and texts"),
).refine(
  (value) => Object.keys(value).length <= MAX_ENTRIES,
  faultParams("too_many", `must not have more than ${MAX_ENTRIES} entries`),
).refine(
  (value) => Object.values(value).every((text) => typeof text === "string"),
  faultParams("wrong_type", "must have texts for values"),
).refine(
  (value) => Object.keys(value).every(({ length }) => length > 0 && length <= MAX_KEY_LENGTH),
  faultParams("too_long", `must have names of 1 to ${MAX_KEY_LENGTH} characters`),
).refine(
  (value) => Object.values(value).every(({ length }) => !(length > MAX_VALUE_LENGTH)),
  faultParams("too_long", `must have values of at most ${MAX_VALUE_LENGTH} characters`),
);

/** Fields by which callers label a send or a recipient, to find it again. They change no mail. */
export const LABEL_FIELDS = {
  reference: z.string()
    .min(1, { error: "must not be empty" })
    .max(MAX_REFERENCE_LENGTH, { error: `must not exceed ${MAX_REFERENCE_LENGTH} characters` })
    .refine((text) => PRINTABLE.test(text), faultParams("bad_characters", "must be printable"))
    .optional(),
  tags: z.array(
    z.string().regex(TAG, { error: "must be 1 to 64 letters, digits and _ . : -" }),
  ).max(MAX_TAGS, { error: `must not have more than ${MAX_TAGS} tags` }).optional(),
  metadata: metadataSchema.optional(),
};

const labelsSchema = z.object(LABEL_FIELDS);

/** The labels of a send or a recipient, as given. */
export type GivenLabels = z.infer<typeof labelsSchema>;

/** The labels of a send or a message, as shown. */
export interface Labels {
  reference: string | null;
  tags: string[];
  metadata: Record<string, string>;
}

/**
 * Returns the labels of a send or, with a recipient, of a message. The recipient's reference and tags replace
 * the send's as a whole; metadata, by name.
 */
export function labelsOf(top: GivenLabels, recipient: GivenLabels = {}): Labels {
  return {
    reference: recipient.reference ?? top.reference ?? null,
    tags: recipient.tags ?? top.tags ?? [],
    metadata: { ...top.metadata, ...recipient.metadata },
  };
}

/** Returns the size of metadata in events and answers, in bytes of JSON. */
export function metadataBytes(metadata: Record<string, string>): number {
  return utf8Bytes(JSON.stringify(metadata));
}
