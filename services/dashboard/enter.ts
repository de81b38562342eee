import type { FastifyReply, FastifyRequest } from "fastify";
import type { Routing } from "./app.ts";
import { SESSION_COOKIE } from "./guard.ts";
import { Problem } from "./problem.ts";
import { beginSession, type Entry, hashToken } from "./session.ts";

/** A request, and what answers it. */
export interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
}

/** Signs a browser in, under a token that it did not have before; the session it had ends. */
export async function enter(
  { request, reply }: Exchange,
  who: Omit<Entry, "userAgent">,
  { deps: { store, now }, options: { sessionAges } }: Pick<Routing, "deps" | "options">,
): Promise<void> {
  const before = request.cookies[SESSION_COOKIE];
  if (before !== undefined) await store.removeSession(hashToken(before));
  const userAgent = request.headers["user-agent"];
  const entry = { ...who, userAgent };
  const { token } = await beginSession(entry, { ...store, now, sessionAges });
  reply.setCookie(SESSION_COOKIE, token, {
    ...{ path: "/", httpOnly: true, secure: true, sameSite: "lax" },
    maxAge: Math.floor(sessionAges.totalMs / 1000),
  });
}

/**
 * Gives the account that a user comes to first.
 *
 * @throws {Problem} `not_allowed` if they are a member of none any more.
 */
export async function firstAccountOf(
  userId: string,
  { deps: { store } }: Pick<Routing, "deps">,
): Promise<string> {
  const [member] = await store.listMemberships(userId);
  if (member !== undefined) return member.accountId;
  throw new Problem("not_allowed", "You are no member of any account: have an owner invite you");
}
