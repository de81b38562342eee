import { hash, randomBytes } from "node:crypto";
import type { Account, Member, Role, Session, User } from "@posthaste/contracts";
import type { Store, StorePart } from "@posthaste/storage";
import { HttpError } from "./http_error.ts";
import { hasSecondFactor } from "./second_factor.ts";

/** The principal of a request: the user, and the account. */
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
  /** After this time without a request. */
  idleMs: number;
  /** After this time, regardless of use. */
  totalMs: number;
}

/** What is needed to sign a browser in. */
export interface SignIn {
  userId: string;
  accountId: string;
  userAgent: string | undefined;
  /** What must still be shown before the browser is signed in. @default {null} */
  awaits?: Session["awaits"];
  /** Whether the person has just confirmed their identity. @default {true} */
  isConfirmed?: boolean;
}

const TOUCH_EVERY_MS = 60_000;
const TOKEN_BYTES = 32;

/** How long a confirmed identity is valid for sensitive actions. */
const CONFIRMED_MS = 10 * 60_000;

/** How long a person has to show their second factor. */
const HALF_SESSION_MS = 10 * 60_000;

/** Returns the hash under which a token is stored: a reader of the database cannot sign in with it. */
export function hashToken(token: string): string {
  return hash("sha256", token, "hex");
}

/** Generates a token of 256 bits, for a cookie or a link. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/** Begins a session and returns the token for its cookie, which is not stored. */
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

/** The caller is signed in, but not a member of the requested account. */
export class ForeignAccountError extends Error {
  override readonly name = "ForeignAccountError";
}

/**
 * Finds the principal of a cookie's token; `undefined` if it is unknown, expired, or of a user who
 * is no longer a member of any account.
 *
 * @param asked The account that the calling page shows; by default the user's last account
 * @throws {ForeignAccountError} If the user is not a member of it
 */
export async function findPrincipal(
  token: string,
  asked: string | undefined,
  deps: SessionDeps,
): Promise<Principal | undefined> {
  const at = deps.now();
  const session = await deps.sessions.find(hashToken(token), at);
  if (session === null) return undefined;
  // The maximum age may have been set since.
  if (at >= expiryOf(session.createdAt, at, deps.sessionAges)) return undefined;
  const { userId, accountId } = session;
  const [user, shown] = await Promise.all([
    deps.people.find(userId),
    deps.people.findMember(asked ?? accountId, userId),
  ]);
  if (user === null) return undefined;
  if (asked !== undefined && shown === null) throw new ForeignAccountError();
  // A user who was removed from the session's account continues in another one of theirs.
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
 * Refuses sensitive actions at a browser that was left alone, or with a copied cookie.
 *
 * @throws {HttpError} `confirm_identity` if the person has not confirmed their identity recently
 */
export function requireRecent({ session: { confirmedAt } }: Principal, now: Date): void {
  if (confirmedAt !== null && now.getTime() - confirmedAt.getTime() < CONFIRMED_MS) return;
  throw new HttpError("confirm_identity", "Confirm your identity first");
}

/** Returns whether the account requires a second factor that the user lacks. A provider has its own. */
export function needsSecondFactor({ account, user }: Pick<Principal, "account" | "user">): boolean {
  return account.requiresSecondFactor && user.passwordHash !== null && !hasSecondFactor(user);
}

function expiryOf(createdAt: Date, at: Date, { idleMs, totalMs }: SessionAges): Date {
  return new Date(Math.min(at.getTime() + idleMs, createdAt.getTime() + totalMs));
}
