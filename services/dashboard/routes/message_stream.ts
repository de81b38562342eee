import { includesRole } from "@posthaste/contracts";
import type { FastifyInstance } from "fastify";
import type { Routing } from "../routing.ts";
import { openEventStream } from "../event_stream.ts";
import type { StateTotals } from "../interface/messages.ts";
import { type BoardState, openMessageBoards } from "../message_boards.ts";
import { rowsOf } from "../message_view.ts";
import { HttpError } from "../http_error.ts";
import type { Principal } from "../session.ts";

/** Settings of {@linkcode messageStreamRoute}. */
export interface StreamOptions {
  /** Time between two updates, and between two counts, in milliseconds. */
  lookEveryMs?: number;
  /** Time between two checks of the session, in milliseconds. */
  beatEveryMs?: number;
  /** Maximum open streams of an account. */
  maxStreams?: number;
}

const DAY_MS = 24 * 3_600_000;
const ROWS = 50;
const ROLE = "viewer";

/** Counts stop at this number. */
const MAX_COUNTED = 1000;

/** Counting costs more than reading the newest page. */
const COUNT_EVERY_MS = 5000;

/** Adds the stream of the newest messages as they change, as server-sent events. */
export function messageStreamRoute(
  app: FastifyInstance,
  { deps }: Routing,
  options: StreamOptions = {},
): void {
  const { store, now, logger } = deps;
  const { lookEveryMs = 1000, beatEveryMs = 15_000, maxStreams = 20 } = options;
  const counted = new Map<string, { at: number; counts: StateTotals }>();
  const boards = openMessageBoards({ look, logger, everyMs: lookEveryMs });
  const ends = new Set<() => void>();

  app.addHook("preClose", () => {
    boards[Symbol.dispose]();
    for (const end of ends) end();
  });

  app.get("/api/messages/stream", { config: { role: ROLE } }, (request, reply) => {
    const { principal } = request;
    if (boards.viewers(principal.accountId) >= maxStreams) {
      throw new HttpError(
        "too_many_requests",
        "Too many open pages show live messages of this account. Close some",
        {
          retryAfter: 60,
        },
      );
    }
    const stream = openEventStream(reply);
    ends.add(stream.end);
    const stop = boards.watch(principal.accountId, ({ rows, counts }) => {
      if (rows.length > 0) stream.send("rows", rows);
      if (counts !== undefined) stream.send("counts", counts);
    });
    const beat = setInterval(() => {
      void mayWatch(principal).then(
        (is) => is ? stream.beat() : stream.end(),
        // The database is away: the session's validity is unknown.
        () => stream.end(),
      );
    }, beatEveryMs);
    stream.onEnd(() => {
      clearInterval(beat);
      stop();
      ends.delete(stream.end);
    });
  });

  async function mayWatch({ session, user, accountId }: Principal): Promise<boolean> {
    const found = await store.sessions.find(session._id, now());
    if (found?.accountId !== session.accountId) return false;
    const member = await store.people.findMember(accountId, user._id);
    return member !== null && includesRole(member.role, ROLE);
  }

  async function look(accountId: string): Promise<BoardState> {
    const { messages } = await store.messages.search(accountId, {}, { limit: ROWS });
    return { rows: await rowsOf(accountId, messages, store), counts: await countsOf(accountId) };
  }

  async function countsOf(accountId: string): Promise<StateTotals> {
    const at = now().getTime();
    const known = counted.get(accountId);
    if (known !== undefined && at - known.at < COUNT_EVERY_MS) return known.counts;
    const from = new Date(at - DAY_MS);
    const count = (state: keyof StateTotals) =>
      store.messages.count(accountId, { state, from, limit: MAX_COUNTED });
    const [failed, unknown, deferred] = await Promise.all([
      count("failed"),
      count("unknown"),
      count("deferred"),
    ]);
    const counts = { failed, unknown, deferred };
    counted.set(accountId, { at, counts });
    return counts;
  }
}
