import type { FastifyInstance } from "fastify";
import { Readable } from "node:stream";
import type { Routing } from "../routing.ts";
import { auditQuerySchema } from "../account_input.ts";
import { audit } from "../audit.ts";
import type { AuditPage } from "../interface/people.ts";
import { readInput } from "../read_input.ts";

const PAGE = 50;
const OWNER = { config: { role: "owner", scopes: ["manage:account"] } } as const;

/** Adds the routes of the audit log, for the account's owners. */
export function auditRoutes(app: FastifyInstance, { deps: { store, now } }: Routing): void {
  app.get("/api/audit", OWNER, async ({ actor, query }) => {
    const { before } = readInput(auditQuerySchema, query);
    // One more item shows whether there is another page.
    const found = await store.audit.list(actor.accountId, { limit: PAGE + 1, before });
    const people = await store.people.listMembers(actor.accountId);
    const nameOf = new Map(people.map(({ user }) => [user._id, user.name]));
    const lines = found.slice(0, PAGE);
    const page: AuditPage = {
      lines: lines.map(({ _id, at, userId, userEmail, action, target, details }) => ({
        ...{ id: _id, at: at.toISOString(), action, target, details },
        who: nameOf.get(userId ?? "") ?? userEmail,
      })),
      next: found.length > PAGE ? lines.at(-1)?._id ?? null : null,
    };
    return page;
  });

  app.get("/api/audit/export", OWNER, async ({ actor }, reply) => {
    const { accountId } = actor;
    const entry = { action: "audit.exported", target: "audit log" };
    await audit({ ...store, now }, actor, entry);
    return reply.type("application/jsonl; charset=utf-8")
      .header("content-disposition", 'attachment; filename="audit.jsonl"')
      .send(Readable.from(linesOf(accountId)));
  });

  /** Returns every line as JSON, newest first. */
  async function* linesOf(accountId: string): AsyncGenerator<string> {
    for await (const { accountId: _, ...line } of store.audit.all(accountId)) {
      yield `${JSON.stringify(line)}\n`;
    }
  }
}
