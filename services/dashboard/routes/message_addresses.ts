import { CAUSED_STATES, MAX_CSV_LINES, MESSAGE_CSV_HEAD } from "@posthaste/contracts";
import type { FastifyInstance } from "fastify";
import { audit } from "../audit.ts";
import { foundAddresses } from "../found_addresses.ts";
import { HttpError } from "../http_error.ts";
import { readMessageQuery } from "../message_filter.ts";
import type { Routing } from "../routing.ts";

/** A list of suppressed addresses takes such a file: it has as many lines at most. */
const LIMITS = { limit: MAX_CSV_LINES, forMs: 20_000 };

const CAUSED: ReadonlySet<string> = new Set(CAUSED_STATES);

/** Adds `GET /api/messages/addresses`: the addresses of messages that failed, as CSV. */
export function messageAddressRoute(app: FastifyInstance, { deps: { store, now } }: Routing): void {
  app.get(
    "/api/messages/addresses",
    { config: { role: "viewer" } },
    async ({ principal, query }, reply) => {
      const { filter } = readMessageQuery(query);
      const { states = [], because, sendId } = filter;
      if (states.length === 0 || !states.every((state) => CAUSED.has(state))) {
        const issues = [{ path: "state", message: `must be of ${CAUSED_STATES.join(", ")}` }];
        throw new HttpError("invalid_request", "The addresses of these are not exported", {
          issues,
        });
      }
      const { accountId } = principal;
      const { lines, hasMore } = await foundAddresses(store, { accountId, filter }, LIMITS);
      await audit({ ...store, now }, principal, {
        action: "message.exported",
        target: sendId === undefined ? "messages with one reason" : `send ${sendId}`,
        details: { reason: because?.reason ?? null, addresses: lines.length },
      });
      const name = hasMore ? `addresses_newest_${lines.length}` : "addresses";
      return reply.type("text/csv; charset=utf-8")
        .header("content-disposition", `attachment; filename="${name}.csv"`)
        .send(MESSAGE_CSV_HEAD + lines.join(""));
    },
  );
}
