import { createHash, randomBytes } from "node:crypto";
import type { Account, Member, Role, Session, User } from "@posthaste/contracts";
import type { Store, StorePart } from "@posthaste/storage";
import { HttpError } from "./http_error.ts";
import { hasSecondFactor } from "./second_factor.ts";

/** The principal of a request: who it comes from, and in which account. */
export interface Principal {
  session: Session;
  user: User;
  member: Member;
  account: Account;
  role: Role;
  accountId: string;
}

/** What is needed to find the principal of a request. */
export type SessionDeps =
  & StorePart<"people.find" | "people.findMember" | "people.listMemberships">
  & Pick<Store, "sessions">
  & {
    accounts: {
      find(idOrName: string): Promise<Account | null>;
    };
    now(): Date;
    sessionAges: SessionAges;
  };

/** When a session ends, in milliseconds. */
export interface SessionAges {
  /** After this time without a visit. */
  idleMs: number;
  /** After this time, however often it is used. */
  totalMs: number;
}

/** What signs a browser in. */
export interface SignIn {
  userId: string;
  accountId: string;
  userAgent: string | undefined;
  /** What is still to be shown before the browser is signed in. @default {null} */
  awaits?: Session["awaits"];
  /** Whether it was shown just now who is at the browser. @default {true} */
  isConfirmed?: boolean;
}

const TOUCH_EVERY_MS = 60_000;
const TOKEN_BYTES = 32;

/** So long it is believed who is at the browser, where something must not be done by anybody else. */
export const CONFIRMED_MS = 10 * 60_000;

/** So long somebody may look for their second factor. */
const HALF_SESSION_MS = 10 * 60_000;

/** Returns what a token is stored under: anyone who reads the database has none to sign in with. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** Draws a token of 256 bits, for a cookie or a link. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/** Begins a session and gives the token for its cookie, which is stored nowhere. */
export async function beginSession(
  { userId, accountId, userAgent, awaits = null, isConfirmed = true }: SignIn,
  { sessions: { create: createSession }, now, sessionAges }:
    & Pick<SessionDeps, "now" | "sessionAges">
    & StorePart<"sessions.create">,
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
    expiresAt: awaits === null
      ? expiryOf(at, at, sessionAges)
      : new Date(at.getTime() + HALF_SESSION_MS),
    confirmedAt: awaits === null && isConfirmed ? at : null,
    ...{ awaits, challenge: null },
  };
  await createSession(session);
  return { token, session };
}

/** Anyone who asks is signed in, but is no member of the account that they ask about. */
export class ForeignAccountError extends Error {
  override readonly name = "ForeignAccountError";
}

/**
 * Finds the principal that a cookie's token stands for; `undefined` if it is unknown, expired, or of somebody who is
 * no longer a member of any account.
 *
 * @param asked The account that the page shows which asks; without one, where the person was last
 * @throws {ForeignAccountError} If they are no member of it
 */
export async function findPrincipal(
  token: string,
  asked: string | undefined,
  deps: SessionDeps,
): Promise<Principal | undefined> {
  const at = deps.now();
  const session = await deps.sessions.find(hashToken(token), at);
  if (session === null) return undefined;
  // The longest age may have been set since.
  if (at >= expiryOf(session.createdAt, at, deps.sessionAges)) return undefined;
  const { userId, accountId } = session;
  const [user, shown] = await Promise.all([
    deps.people.find(userId),
    deps.people.findMember(asked ?? accountId, userId),
  ]);
  if (user === null) return undefined;
  if (asked !== undefined && shown === null) throw new ForeignAccountError();
  // Anyone who was removed from the account that they look at goes on in another one of theirs.
  const member = shown ?? (await deps.people.listMemberships(userId))[0];
  if (member === undefined) return undefined;
  const account = await deps.accounts.find(member.accountId);
  if (account === null) return undefined;
  if (at.getTime() - session.lastSeenAt.getTime() > TOUCH_EVERY_MS) {
    const expiresAt = expiryOf(session.createdAt, at, deps.sessionAges);
    await deps.sessions.touch(session._id, { lastSeenAt: at, expiresAt });
  }
  return { session, user, member, account, role: member.role, accountId: account._id };
}

/**
 * Refuses what nobody else may do at a browser that was left alone, or with a cookie that was copied.
 *
 * @throws {HttpError} `confirm_identity` if it was not shown lately who is there
 */
export function requireRecent({ session: { confirmedAt } }: Principal, now: Date): void {
  if (confirmedAt !== null && now.getTime() - confirmedAt.getTime() < CONFIRMED_MS) return;
  throw new HttpError("confirm_identity", "Confirm your identity first");
}

/** Returns whether the account requires a second factor that somebody does not have. A provider asks for its own. */
export function needsSecondFactor({ account, user }: Pick<Principal, "account" | "user">): boolean {
  return account.requiresSecondFactor && user.passwordHash !== null && !hasSecondFactor(user);
}

function expiryOf(createdAt: Date, at: Date, { idleMs, totalMs }: SessionAges): Date {
  return new Date(Math.min(at.getTime() + idleMs, createdAt.getTime() + totalMs));
}
