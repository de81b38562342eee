import { csvLine, MAX_CSV_LINES } from "@posthaste/contracts";
import type { FoundMessage } from "@posthaste/storage";
import type { FastifyInstance } from "fastify";
import { audit } from "../audit.ts";
import { foundAddresses } from "../found_addresses.ts";
import { HttpError } from "../http_error.ts";
import { readMessageQuery } from "../message_filter.ts";
import type { Routing } from "../routing.ts";

/** A list of suppressed addresses takes such a file: it has as many lines at most. */
const LIMITS = { limit: MAX_CSV_LINES, forMs: 20_000 };

/** The states in which a message has a cause. */
const CAUSED: ReadonlySet<string> = new Set(["failed", "unknown", "deferred"]);

const HEAD = csvLine(["email", "state", "reason", "reply", "messageId", "acceptedAt"]);

/** Adds `GET /api/messages/addresses`: the addresses of messages that failed, as CSV. */
export function messageAddressRoute(app: FastifyInstance, { deps: { store, now } }: Routing): void {
  app.get(
    "/api/messages/addresses",
    { config: { role: "viewer" } },
    async ({ principal, query }, reply) => {
      const { filter } = readMessageQuery(query);
      const { states = [], because, sendId } = filter;
      if (states.length === 0 || !states.every((state) => CAUSED.has(state))) {
        const issues = [{ path: "state", message: `must be of ${[...CAUSED].join(", ")}` }];
        throw new HttpError("invalid_request", "The addresses of these are not exported", {
          issues,
        });
      }
      const { accountId } = principal;
      const { messages, hasMore } = await foundAddresses(store, { accountId, filter }, LIMITS);
      await audit({ ...store, now }, principal, {
        action: "message.exported",
        target: sendId === undefined ? "messages with one reason" : `send ${sendId}`,
        details: { reason: because?.reason ?? null, addresses: messages.length },
      });
      const name = hasMore ? `addresses_newest_${messages.length}` : "addresses";
      return reply.type("text/csv; charset=utf-8")
        .header("content-disposition", `attachment; filename="${name}.csv"`)
        .send(HEAD + messages.map(lineOf).join(""));
    },
  );
}

function lineOf({ _id: id, email, state, reason, reply, acceptedAt }: FoundMessage): string {
  const said = reply?.response ?? [reply?.code, reply?.enhanced].filter(Boolean).join(" ");
  return csvLine([email, state, reason ?? "", said, id, acceptedAt.toISOString()]);
}
