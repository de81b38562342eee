import { createHash, randomBytes } from "node:crypto";
import type { Account, Member, Role, Session, User } from "@posthaste/contracts";
import type { PeopleStore, SessionStore } from "@posthaste/storage";

/** Who a request comes from. */
export interface Visitor {
  session: Session;
  user: User;
  member: Member;
  account: Account;
  role: Role;
  accountId: string;
}

/** What is needed to know visitors. */
export interface SessionDeps
  extends SessionStore, Pick<PeopleStore, "findUser" | "findMember" | "listMemberships"> {
  findAccount(idOrName: string): Promise<Account | null>;
  now(): Date;
  /** Time without a visit after which a session ends, in milliseconds. */
  sessionAgeMs: number;
}

/** What signs a browser in. */
export interface Entry {
  userId: string;
  accountId: string;
  userAgent: string | undefined;
}

const TOUCH_EVERY_MS = 60_000;
const TOKEN_BYTES = 32;

/** Gives what a token is stored under: whoever reads the database has none to sign in with. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** Draws a token of 256 bits, for a cookie or a link. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/** Begins a session and gives the token for its cookie, which is stored nowhere. */
export async function beginSession(
  { userId, accountId, userAgent }: Entry,
  { createSession, now, sessionAgeMs }: Pick<SessionDeps, "createSession" | "now" | "sessionAgeMs">,
): Promise<{ token: string; session: Session }> {
  const token = newToken();
  const at = now();
  const session: Session = {
    _id: hashToken(token),
    userId,
    accountId,
    csrfToken: newToken(),
    userAgent: (userAgent ?? "").slice(0, 400),
    createdAt: at,
    lastSeenAt: at,
    expiresAt: new Date(at.getTime() + sessionAgeMs),
  };
  await createSession(session);
  return { token, session };
}

/** Whoever asks is signed in, but is no member of the account that they ask about. */
export class ForeignAccountError extends Error {
  override readonly name = "ForeignAccountError";
}

/**
 * Finds who a cookie's token belongs to; `undefined` if it is unknown, expired, or of somebody who is
 * no longer a member of any account.
 *
 * @param asked The account that the page shows which asks; without one, where the person was last
 * @throws {ForeignAccountError} If they are no member of it
 */
export async function findVisitor(
  token: string,
  asked: string | undefined,
  deps: SessionDeps,
): Promise<Visitor | undefined> {
  const at = deps.now();
  const session = await deps.findSession(hashToken(token), at);
  if (session === null) return undefined;
  const { userId, accountId } = session;
  const [user, shown] = await Promise.all([
    deps.findUser(userId),
    deps.findMember(asked ?? accountId, userId),
  ]);
  if (user === null) return undefined;
  if (asked !== undefined && shown === null) throw new ForeignAccountError();
  // Whoever was removed from the account that they look at goes on in another one of theirs.
  const member = shown ?? (await deps.listMemberships(userId))[0];
  if (member === undefined) return undefined;
  const account = await deps.findAccount(member.accountId);
  if (account === null) return undefined;
  if (at.getTime() - session.lastSeenAt.getTime() > TOUCH_EVERY_MS) {
    const expiresAt = new Date(at.getTime() + deps.sessionAgeMs);
    await deps.touchSession(session._id, { lastSeenAt: at, expiresAt });
  }
  return { session, user, member, account, role: member.role, accountId: account._id };
}
