import { z } from "zod";
import { sendWarningSchema } from "./send_warning.ts";

/** The origins of a variable's value: a level of the request, the template's default, or none. */
const VARIABLE_ORIGINS = ["top", "recipient", "attachment", "default", "missing"] as const;

/** The origin of a variable's value. */
export type VariableOrigin = (typeof VARIABLE_ORIGINS)[number];

/** The variables that a template declares or reads, each with its origin. */
const ORIGINS = { variables: z.record(z.string(), z.enum(VARIABLE_ORIGINS)) };

/** The tag of the language variant that was used; null for the template's own body. */
const VARIANT = { variant: z.string().nullable() };

const PDF = { index: z.int().nonnegative(), id: z.int() };

/** Answer to a dry run of a send. */
export const dryRunSchema = z.strictObject({
  status: z.literal("dry_run"),
  message: z.string(),
  template: z.strictObject({ id: z.int(), version: z.int() }),
  /** Those of the whole send; missing if there are none. */
  warnings: z.array(sendWarningSchema).optional(),
  /** The requested ones, filled. */
  messages: z.array(z.strictObject({
    /** Position in the request's `to`. */
    index: z.int().nonnegative(),
    email: z.string(),
    ...{ subject: z.string(), html: z.string(), text: z.string() },
    /** Of subject, HTML and text in UTF-8. */
    bytes: z.int().nonnegative(),
    ...VARIANT,
    ...ORIGINS,
    attachments: z.array(z.strictObject({
      ...{ ...PDF, filename: z.string() },
      ...VARIANT,
      ...ORIGINS,
    })),
  })),
});

/** Answer to a dry run of a send. */
export type DryRun = z.infer<typeof dryRunSchema>;

const EXPLAINED = { ...VARIANT, ...ORIGINS, values: z.record(z.string(), z.unknown()).optional() };

/** Answer to `GET /v1/messages/{id}/explain`. `values` are present on request. */
export const explanationSchema = z.strictObject({
  id: z.string(),
  template: z.strictObject({ id: z.int(), version: z.int() }),
  ...EXPLAINED,
  attachments: z.array(z.strictObject({ ...PDF, version: z.int(), ...EXPLAINED })),
});

/** Answer to `GET /v1/messages/{id}/explain`. */
export type Explanation = z.infer<typeof explanationSchema>;

/** The most recipients that one dry run fills. */
export const MAX_DRY_RUN_RECIPIENTS = 10;

/** Query of a dry run: positions in `to`, with commas. */
export const DRY_RUN_QUERY = z.strictObject({
  recipients: z.string().regex(/^\d{1,7}(?:,\d{1,7})*$/, {
    error: "must be positions of recipients, separated by commas: 0,5",
  }).transform((text) => [...new Set(text.split(",").map(Number))])
    .refine(({ length }) => length <= MAX_DRY_RUN_RECIPIENTS, {
      error: `must not name more than ${MAX_DRY_RUN_RECIPIENTS} recipients`,
    }).optional().describe("Positions of the recipients to fill, separated by commas: 0,5"),
});

/** Query of an explanation. */
export const EXPLAIN_QUERY = z.strictObject({
  values: z.enum(["true", "false"], { error: "must be true or false" }).optional()
    .describe("Whether to return the values, too"),
});
