import type { FastifyReply, FastifyRequest } from "fastify";
import type { Routing } from "./routing.ts";
import type { User } from "@posthaste/contracts";
import { audit } from "./audit.ts";
import { confirmBy } from "./demo_user.ts";
import { SESSION_COOKIE } from "./guard.ts";
import { notifyPerson } from "./notices.ts";
import { HttpError } from "./http_error.ts";
import { beginSession, hashToken, type SignIn } from "./session.ts";

const NEW_LOGIN_MS = 60_000;
const MAX_BROWSER = 200;

/** A request with its reply. */
export interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
}

/** The person who signs in. */
export interface Entry extends Omit<SignIn, "userAgent"> {
  /**
   * Returns whether the password that the person has shown is still theirs. It is asked when the
   * session is stored: a change before that is seen by it, and a change after that ends the session.
   */
  isStillValid?: () => Promise<boolean>;
}

/**
 * Signs a browser in, under a new token; its previous session ends.
 *
 * @throws {HttpError} `signed_out` if the password was changed meanwhile
 */
export async function signIn(
  { request, reply }: Exchange,
  { isStillValid, ...who }: Entry,
  routing: Routing,
): Promise<void> {
  const { deps: { store, now }, options: { sessionAges } } = routing;
  const userAgent = request.headers["user-agent"];
  const begun = await beginSession({ ...who, userAgent }, { ...store, now, sessionAges });
  if (isStillValid !== undefined && !await isStillValid()) {
    await store.sessions.remove(begun.session._id);
    const message = "The password or the second factor was changed meanwhile. Sign in again";
    throw new HttpError("signed_out", message);
  }
  const { token } = begun;
  const before = request.cookies[SESSION_COOKIE];
  if (before !== undefined) await store.sessions.remove(hashToken(before));
  reply.setCookie(SESSION_COOKIE, token, {
    ...{ path: "/", httpOnly: true, secure: true, sameSite: "lax" },
    maxAge: Math.floor(sessionAges.totalMs / 1000),
  });
  const isWhole = (who.awaits ?? null) === null;
  if (isWhole) await noteSignIn(request, who, routing);
  if (isWhole && await store.people.noteBrowser(who.userId, hashToken(userAgent ?? ""))) {
    await notifyOfSignIn(request, who.userId, routing);
  }
}

/** Writes a sign-in into the account's audit log, with its network address. */
async function noteSignIn(
  { ip, headers }: FastifyRequest,
  { userId, accountId }: Pick<SignIn, "userId" | "accountId">,
  { deps: { store, now } }: Routing,
): Promise<void> {
  const user = await store.people.find(userId);
  if (user === null) return;
  const browser = headers["user-agent"]?.slice(0, MAX_BROWSER) ?? "unknown";
  await audit({ ...store, now }, { accountId, user }, {
    ...{ action: "session.began", target: user.email, details: { address: ip, browser } },
  });
}

/**
 * Writes a refused sign-in into the audit log of each account that the user is a member of. The
 * limits of attempts bound the number of lines.
 */
export async function noteRefusedSignIn(
  { ip }: FastifyRequest,
  users: readonly User[],
  { why, routing: { deps: { store, now } } }: { why: string; routing: Routing },
): Promise<void> {
  for (const user of users) {
    for (const { accountId } of await store.people.listMemberships(user._id)) {
      await store.audit.note({
        // The author is unknown.
        ...{ accountId, at: now(), userId: null, userEmail: null },
        ...{ action: "session.refused", target: user.email, details: { why, address: ip } },
      });
    }
  }
}

/** Notifies a person of a sign-in with a new browser. */
async function notifyOfSignIn(
  { ip, headers }: FastifyRequest,
  userId: string,
  routing: Routing,
): Promise<void> {
  const { deps: { store, now }, options } = routing;
  const user = await store.people.find(userId);
  const at = now();
  // The owner of a new login needs no notice.
  if (user === null || at.getTime() - user.createdAt.getTime() < NEW_LOGIN_MS) return;
  if (confirmBy(user, options) === "click") return;
  const browser = headers["user-agent"]?.slice(0, MAX_BROWSER) ?? "unknown";
  const variables = { email: user.email, browser, address: ip, at: at.toUTCString() };
  await notifyPerson(user, { kind: "entry", variables }, routing);
}

/**
 * Returns the account that a user sees first.
 *
 * @throws {HttpError} `not_allowed` if the user is no longer a member of any account.
 */
export async function firstAccountOf(
  userId: string,
  { deps: { store } }: Pick<Routing, "deps">,
): Promise<string> {
  const [member] = await store.people.listMemberships(userId);
  if (member !== undefined) return member.accountId;
  throw new HttpError(
    "not_allowed",
    "You are not a member of any account. Ask an owner to invite you",
  );
}

/**
 * Refuses sign-in by password if the operator has disabled passwords.
 *
 * @throws {HttpError} `not_allowed`
 */
export function requirePasswords({ hasPasswords = true }: { hasPasswords?: boolean }): void {
  if (hasPasswords) return;
  throw new HttpError("not_allowed", "Sign-in by password is disabled here. Use your provider");
}
