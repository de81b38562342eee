import {
  type ListPage,
  SUPPRESS_BODY,
  type Suppression,
  SUPPRESSION_FILTERS,
  UNSUPPRESS_BODY,
} from "@posthaste/contracts";
import { BODY_PARSING, bodyIssues } from "@posthaste/http";
import { type StorePart, SuppressionsFullError } from "@posthaste/storage";
import type { FastifyInstance } from "fastify";
import type { z } from "zod";
import { audit, type AuditDeps } from "../audit.ts";
import { requireScope } from "../authenticate.ts";
import { HttpError } from "../http_error.ts";
import { httpErrorOf } from "../fault.ts";
import { listReader, pageOf } from "../read_list.ts";
import { SEARCH_MS } from "./message_list.ts";

/** What the suppression list needs. */
export type SuppressionDeps =
  & StorePart<"suppressions.add" | "suppressions.list" | "suppressions.remove">
  & AuditDeps;

const readList = listReader("suppressions", SUPPRESSION_FILTERS);
const SCOPE = { onRequest: requireScope("manage:suppressions") };

/** Adds `GET /suppressions`: lists addresses that get no mail, by address. */
export function suppressionListRoute(
  app: FastifyInstance,
  { suppressions, now }: SuppressionDeps,
): void {
  app.get(
    "/suppressions",
    { onRequest: requireScope("list") },
    async ({ caller: { accountId }, query, store }): Promise<ListPage<unknown>> => {
      const { filters, limit, after, cursorAfter } = readList(accountId, query);
      const { email = "*", ...unknown } = filters;
      // The compiler refuses a further filter until the list knows it, too.
      void (unknown satisfies Record<string, never>);
      const isPrefix = email.endsWith("*");
      const prefix = isPrefix ? email.slice(0, -1) : email;
      store.allow(SEARCH_MS);
      const page = { limit: limit + 1, after, prefix, now: now() };
      const found = await store.wait(
        "list the suppressions",
        () => suppressions.list(accountId, page),
      );
      const asked = isPrefix ? found : found.filter((one) => one.email === email.toLowerCase());
      const { data, next } = pageOf(asked, { limit, cursorAfter }, (one) => one.email);
      return { data: data.map(shown), next };
    },
  );
}

/** Adds `POST /suppressions` and `/suppressions/remove`; the list of an account has at most `maxSuppressions`. */
export function suppressionChangeRoutes(
  app: FastifyInstance,
  { maxSuppressions: max, ...deps }: SuppressionDeps & { maxSuppressions: number },
): void {
  app.post("/suppressions", SCOPE, async (request) => {
    const { caller: { accountId }, body, store } = request;
    const { suppressions } = read("add the suppressions", SUPPRESS_BODY, body);
    const at = deps.now();
    const entries = suppressions.map(({ expiresAt, ...entry }) => ({
      ...entry,
      ...{ at, ...(expiresAt === undefined ? {} : { expiresAt }) },
    }));
    store.allow(SEARCH_MS);
    const added = await store.wait(
      "add the suppressions",
      () => unlessFull(deps.suppressions.add(accountId, entries, { max })),
    );
    if (added instanceof SuppressionsFullError) {
      throw new HttpError("suppression_list_full", added.message);
    }
    const details = { addresses: entries.length };
    await audit(deps, request, {
      action: "suppression.added",
      target: "suppression list",
      details,
    });
    return { added };
  });

  app.post("/suppressions/remove", SCOPE, async (request) => {
    const { caller: { accountId }, body, store } = request;
    const { emails } = read("remove the suppressions", UNSUPPRESS_BODY, body);
    store.allow(SEARCH_MS);
    const removed = await store.wait(
      "remove the suppressions",
      () => deps.suppressions.remove(accountId, emails),
    );
    if (removed > 0) {
      const details = { addresses: removed };
      const target = "suppression list";
      await audit(deps, request, { action: "suppression.removed", target, details });
    }
    return { removed };
  });
}

/** A full list is no failure of the ledger. */
async function unlessFull(adding: Promise<number>): Promise<number | SuppressionsFullError> {
  try {
    return await adding;
  } catch (error) {
    if (error instanceof SuppressionsFullError) return error;
    throw error;
  }
}

function read<T>(action: string, schema: z.ZodType<T>, body: unknown): T {
  const { data, error } = schema.safeParse(body, BODY_PARSING);
  if (error !== undefined) throw httpErrorOf(action, bodyIssues(error));
  return data;
}

function shown(
  { email, reason, reply, messageId, at, expiresAt }: Suppression & { email: string },
) {
  return {
    ...{ email, reason, reply: reply ?? null, messageId: messageId ?? null, addedAt: at },
    expiresAt: expiresAt ?? null,
  };
}
