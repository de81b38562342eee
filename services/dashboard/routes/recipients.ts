import type { FastifyInstance } from "fastify";
import { forgetSchema } from "../account_input.ts";
import { audit } from "../audit.ts";
import type { ForgottenView } from "../interface/people.ts";
import { readInput } from "../read_input.ts";
import type { Routing } from "../routing.ts";
import { requireWholeAccount } from "../token_limits.ts";

const OWNER = { config: { role: "owner", scopes: ["manage:account"], isHeavy: true } } as const;

/** Longest time that one request removes data, in milliseconds. */
const FORGET_MS = 15_000;

/** Adds `POST /recipients/forget`: removes the data of a recipient. */
export function recipientRoutes(app: FastifyInstance, { deps: { store, now } }: Routing): void {
  app.post("/api/recipients/forget", OWNER, async ({ actor, body }): Promise<ForgottenView> => {
    requireWholeAccount(actor);
    const { email, auditAfter } = readInput(forgetSchema, body);
    // Only the operator may change lines of the audit log.
    const options = { now: now(), audit: "count", budgetMs: FORGET_MS, auditAfter } as const;
    const done = await store.retention.forgetRecipient(actor.accountId, email, options);
    const { messages, canceled, copies, invitations, left, auditLines, auditNext, isCut } = done;
    await audit({ ...store, now }, actor, {
      // The address is what has to be forgotten.
      ...{ action: "recipient.forgotten", target: "a recipient" },
      details: { messages, canceled, left: left.length },
    });
    return {
      removed: { messages, canceled, copies, invitations },
      left: { messages: left, auditLines, auditNext, isCut },
    };
  });
}
