import type { FastifyReply, FastifyRequest } from "fastify";
import type { Routing } from "./app.ts";
import { confirmBy } from "./demo_user.ts";
import { SESSION_COOKIE } from "./guard.ts";
import { tellPerson } from "./notices.ts";
import { Problem } from "./problem.ts";
import { beginSession, type Entry, hashToken } from "./session.ts";

const NEW_LOGIN_MS = 60_000;
const MAX_BROWSER = 200;

/** A request, and what answers it. */
export interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
}

/** Signs a browser in, under a token that it did not have before; the session it had ends. */
export async function enter(
  { request, reply }: Exchange,
  who: Omit<Entry, "userAgent">,
  routing: Routing,
): Promise<void> {
  const { deps: { store, now }, options: { sessionAges } } = routing;
  const before = request.cookies[SESSION_COOKIE];
  if (before !== undefined) await store.removeSession(hashToken(before));
  const userAgent = request.headers["user-agent"];
  const entry = { ...who, userAgent };
  const { token } = await beginSession(entry, { ...store, now, sessionAges });
  reply.setCookie(SESSION_COOKIE, token, {
    ...{ path: "/", httpOnly: true, secure: true, sameSite: "lax" },
    maxAge: Math.floor(sessionAges.totalMs / 1000),
  });
  const isWhole = (who.awaits ?? null) === null;
  if (isWhole && await store.noteBrowser(who.userId, hashToken(userAgent ?? ""))) {
    await tellOfEntry(request, who.userId, routing);
  }
}

/** Tells somebody that a browser was signed in as them that was not before. */
async function tellOfEntry(
  { ip, headers }: FastifyRequest,
  userId: string,
  routing: Routing,
): Promise<void> {
  const { deps: { store, now }, options } = routing;
  const user = await store.findUser(userId);
  const at = now();
  // Who has just got a login knows.
  if (user === null || at.getTime() - user.createdAt.getTime() < NEW_LOGIN_MS) return;
  if (confirmBy(user, options) === "click") return;
  const browser = headers["user-agent"]?.slice(0, MAX_BROWSER) ?? "unknown";
  const variables = { email: user.email, browser, address: ip, at: at.toUTCString() };
  await tellPerson(user, { kind: "entry", variables }, routing);
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
