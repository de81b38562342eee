import {
  emailAddressSchema,
  FILTER_TIME,
  MAX_CSV_LINES,
  type ReadCsv,
  readSuppressionCsv,
  SUPPRESSION_CSV_HEAD,
  suppressionCsvLine,
} from "@posthaste/contracts";
import { type NewSuppression, suppressedFormOf, SuppressionsFullError } from "@posthaste/storage";
import type { FastifyInstance } from "fastify";
import { Readable } from "node:stream";
import { z } from "zod";
import type { Actor } from "../actor.ts";
import { audit } from "../audit.ts";
import { HttpError } from "../http_error.ts";
import type { ImportView, SuppressionList } from "../interface/suppressions.ts";
import { QUOTAS } from "../quotas.ts";
import { readInput } from "../read_input.ts";
import type { Routing } from "../routing.ts";
import { suppressionViewOf } from "../suppression_view.ts";

const PAGE = 50;

/** The largest file of addresses, in bytes. */
const MAX_IMPORT_BYTES = 4_000_000;

/** The most invalid lines that an answer lists. */
const MAX_INVALID = 100;

const VIEWER = { config: { role: "viewer" } } as const;
const EDITOR = { config: { role: "editor" } } as const;
const FILE = {
  config: { role: "editor", takesFiles: true },
  bodyLimit: MAX_IMPORT_BYTES,
} as const;

const LIST = z.object({
  part: z.string().trim().max(320).optional(),
  after: z.string().max(320).optional(),
});
const NEW = z.strictObject({ email: emailAddressSchema, expiresAt: FILTER_TIME.nullable() });
const REMOVE = z.strictObject({ email: z.string().min(1).max(320) });
const IMPORT = z.object({ dry: z.enum(["true", "false"]).default("false") });

/** Adds the routes of the addresses that an account sends no mail to. */
export function suppressionRoutes(app: FastifyInstance, { deps, options }: Routing): void {
  const { store, now } = deps;
  const max = (options.quotas ?? QUOTAS).suppressions;

  async function note(actor: Actor, verb: string, details: Record<string, number> = {}) {
    const entry = { action: `suppression.${verb}`, target: "suppression list", details };
    await audit({ ...store, now }, actor, entry);
  }

  async function add({ accountId }: Actor, added: readonly NewSuppression[]): Promise<number> {
    try {
      return await store.suppressions.add(accountId, added, { max });
    } catch (cause) {
      if (!(cause instanceof SuppressionsFullError)) throw cause;
      throw new HttpError("conflict", cause.message, { cause });
    }
  }

  app.get("/api/suppressions", VIEWER, async ({ actor, query }): Promise<SuppressionList> => {
    const { accountId } = actor;
    const { part, after } = readInput(LIST, query);
    const at = now();
    const [found, entries] = await Promise.all([
      // One more item shows whether there is another page.
      store.suppressions.list(accountId, { part, after, limit: PAGE + 1, now: at }),
      store.suppressions.count(accountId),
    ]);
    const rows = found.slice(0, PAGE).map(suppressionViewOf);
    const next = found.length > PAGE ? rows.at(-1)?.email ?? null : null;
    return { rows, next, entries, maxEntries: max };
  });

  app.post("/api/suppressions", EDITOR, async ({ actor, body }) => {
    const { email, expiresAt } = readInput(NEW, body);
    const at = now();
    if (expiresAt !== null && expiresAt <= at) {
      const issues = [{ path: "expiresAt", message: "must be in the future" }];
      throw new HttpError("invalid_request", "The entry would have ended already", { issues });
    }
    const entry = { email, reason: "manual" as const, at };
    const added = await add(actor, [{ ...entry, ...(expiresAt === null ? {} : { expiresAt }) }]);
    await note(actor, "added", { addresses: 1 });
    return { added };
  });

  app.post("/api/suppressions/remove", EDITOR, async ({ actor, body }) => {
    const { email } = readInput(REMOVE, body);
    const removed = await store.suppressions.remove(actor.accountId, [email]);
    if (removed > 0) await note(actor, "removed", { addresses: removed });
    return { removed };
  });

  app.post(
    "/api/suppressions/import",
    FILE,
    async ({ actor, query, body }): Promise<ImportView> => {
      const { dry } = readInput(IMPORT, query);
      const at = now();
      const { addresses, invalid } = readFile(body, at);
      const emails = addresses.map(({ email }) => email);
      const known = await store.suppressions.among(actor.accountId, emails, at);
      const unknown = addresses.filter(({ email }) => !known.has(suppressedFormOf(email)));
      const entries = unknown.map(({ line: _, ...address }) => ({
        ...address,
        ...{ reason: "import" as const, at },
      }));
      if (dry === "false" && entries.length > 0) {
        await add(actor, entries);
        await note(actor, "imported", { addresses: entries.length });
      }
      return {
        ...{ addresses: addresses.length, added: entries.length },
        ...{ invalidLines: invalid.length, invalid: invalid.slice(0, MAX_INVALID) },
      };
    },
  );

  app.get("/api/suppressions/export", EDITOR, async ({ actor }, reply) => {
    await note(actor, "exported");
    return reply.type("text/csv; charset=utf-8")
      .header("content-disposition", 'attachment; filename="suppressed_addresses.csv"')
      .send(Readable.from(linesOf(actor.accountId)));
  });

  async function* linesOf(accountId: string): AsyncGenerator<string> {
    yield SUPPRESSION_CSV_HEAD;
    for await (const entry of store.suppressions.all(accountId, now())) {
      yield suppressionCsvLine(entry);
    }
  }
}

/** @throws {HttpError} `invalid_request`, `payload_too_large` */
function readFile(body: unknown, now: Date): ReadCsv {
  if (!Buffer.isBuffer(body)) {
    throw new HttpError("invalid_request", "The body must be a CSV file, with its type");
  }
  try {
    return readSuppressionCsv(new TextDecoder("utf-8", { fatal: true }).decode(body), now);
  } catch (cause) {
    if (cause instanceof RangeError) {
      const most = MAX_CSV_LINES.toLocaleString("en");
      const message = `The file has more than ${most} lines. Divide it, or use the interface`;
      throw new HttpError("payload_too_large", message, { cause });
    }
    throw new HttpError("invalid_request", "The file must be text in UTF-8", { cause });
  }
}
