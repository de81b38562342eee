import { TOKEN_SCOPES, tokenLimitsSchema } from "@posthaste/contracts";
import { isNetwork } from "@posthaste/egress";
import { z } from "zod";
import { nameInput } from "./people_input.ts";

const MAX_OVERLAP_DAYS = 30;

/** Id of a token's record, as in an address. */
export const tokenIdSchema = z.object({ tokenId: z.string() });

/** Body of `POST /api/tokens`. */
export const newTokenSchema = z.strictObject({
  name: nameInput,
  scopes: z.array(z.enum(TOKEN_SCOPES)).min(1, { error: "must name at least one" })
    .transform((scopes) => TOKEN_SCOPES.filter((scope) => scopes.includes(scope))),
  expiresAt: z.iso.datetime().nullable().transform((at) => at === null ? null : new Date(at)),
  limits: z.strictObject({
    ...tokenLimitsSchema.shape,
    addresses: z.array(
      z.string().trim().refine(isNetwork, {
        error: "must be an address, or a network such as 203.0.113.0/24",
      }),
    ).max(100).default([]),
  }).prefault({}),
});

/** Body of `POST /api/tokens/:tokenId/roll`. */
export const rollSchema = z.strictObject({
  overlapHours: z.int().min(0).max(MAX_OVERLAP_DAYS * 24)
    .describe("Hours for which the old token still works"),
});
