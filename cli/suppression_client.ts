import {
  MAX_SUPPRESSIONS_PER_REQUEST,
  suppressedSchema,
  SUPPRESSION_REASONS,
  unsuppressedSchema,
} from "@posthaste/contracts";
import { z } from "zod";
import type { Api } from "./api.ts";
import { patiently } from "./patiently.ts";

// Fields that a newer server adds are ignored.
const entrySchema = z.object({
  email: z.string(),
  reason: z.enum(SUPPRESSION_REASONS),
  reply: z.object({ code: z.int().optional(), enhanced: z.string().optional() }).nullable(),
  messageId: z.string().nullable(),
  addedAt: z.string(),
  expiresAt: z.string().nullable(),
});

const pageSchema = z.object({ data: z.array(entrySchema), next: z.string().nullable() });

/** An address on the suppression list, as the interface shows it. */
export type SuppressionEntry = z.infer<typeof entrySchema>;

/** An address to add. */
export interface AddedSuppression {
  email: string;
  reason: "manual" | "import";
  expiresAt?: Date | undefined;
}

/** The suppression list of an account, reached with a token. It waits where a limit of requests says so. */
export interface SuppressionClient {
  /** Yields the entries by address. @param email An address; with `*` at its end, how it begins. */
  list(email: string | undefined): AsyncGenerator<SuppressionEntry, void>;
  /** Adds addresses, 1000 with each request. Yields how many were new and how many are done. */
  add(all: readonly AddedSuppression[]): AsyncGenerator<{ added: number; done: number }, void>;
  /** Removes addresses. Returns how many were on the list. */
  remove(emails: readonly string[]): Promise<number>;
}

const PAGE = 100;

/** Opens the suppression list of the token's account. */
export function openSuppressionClient(api: Api): SuppressionClient {
  const post = (path: string, body: object) =>
    patiently(() => api.post(path, JSON.stringify(body)));
  return {
    async *list(email) {
      const filter = email === undefined ? {} : { email };
      for (let cursor: string | null = ""; cursor !== null;) {
        const more: Record<string, string> = cursor === "" ? {} : { cursor };
        const query = new URLSearchParams({ limit: String(PAGE), ...filter, ...more });
        const answer = await patiently(() => api.get(`/suppressions?${query}`));
        const { data, next }: z.infer<typeof pageSchema> = pageSchema.parse(answer);
        yield* data;
        cursor = next;
      }
    },
    async *add(all) {
      for (const part of partsOf(all)) {
        const suppressions = part.map(({ expiresAt, ...entry }) => ({
          ...entry,
          ...(expiresAt === undefined ? {} : { expiresAt: expiresAt.toISOString() }),
        }));
        const { added } = suppressedSchema.parse(await post("/suppressions", { suppressions }));
        yield { added, done: part.length };
      }
    },
    async remove(emails) {
      let removed = 0;
      for (const part of partsOf(emails)) {
        const answer = await post("/suppressions/remove", { emails: part });
        removed += unsuppressedSchema.parse(answer).removed;
      }
      return removed;
    },
  };
}

function partsOf<T>(all: readonly T[]): T[][] {
  const count = Math.ceil(all.length / MAX_SUPPRESSIONS_PER_REQUEST);
  return Array.from({ length: count }, (_, n) => {
    return all.slice(n * MAX_SUPPRESSIONS_PER_REQUEST, (n + 1) * MAX_SUPPRESSIONS_PER_REQUEST);
  });
}
