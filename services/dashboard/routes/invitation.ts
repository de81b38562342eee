import { hashToken } from "../session.ts";
import type { Invitation, User } from "@posthaste/contracts";
import { networkOf } from "@posthaste/http";
import { NameTakenError } from "@posthaste/storage";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { PER_ADDRESS } from "../attempts.ts";
import { audit } from "../audit.ts";
import { requirePasswords, signIn } from "../sign_in.ts";
import type { AcceptInput, InvitationOffer } from "../interface/people.ts";
import { checkPassword, nameInput, passwordInput } from "../people_input.ts";
import { HttpError, unproven } from "../http_error.ts";
import { readInput } from "../read_input.ts";
import type { SignInRouting } from "./sign_in_routing.ts";

const PARAMS = z.object({ token: z.string().max(100) });
const ACCEPT: z.ZodType<AcceptInput> = z.object({ name: nameInput, password: passwordInput });

/** Adds the routes of an invitation's link, signed out and signed in. */
export function invitationRoutes(app: FastifyInstance, routing: SignInRouting): void {
  const { deps: { store, now }, hasher, attempts } = routing;

  async function invitationOf(params: unknown, ip: string): Promise<Invitation> {
    const { token } = readInput(PARAMS, params);
    const keys = { [`invitation ${networkOf(ip)}`]: PER_ADDRESS };
    await attempts.begin(keys);
    const invitation = await store.invitations.find(hashToken(token), now());
    if (invitation === null) throw goneInvitation();
    await attempts.succeed(keys);
    return invitation;
  }

  async function join(
    { _id, accountId, email }: Invitation,
    joining: Parameters<typeof store.people.acceptInvitation>[1],
  ): Promise<User> {
    const joined = await store.people.acceptInvitation({ _id, accountId }, joining)
      .catch(otherLogin);
    if (joined === null) throw goneInvitation();
    const { user, member: { role } } = joined;
    const entry = { action: "invitation.accepted", target: `invitation of ${email}` };
    await audit({ ...store, now }, { accountId, user }, { ...entry, details: { role } });
    return user;
  }

  app.get("/api/sign-in/invitation/:token", { config: { role: "anyone" } }, async (request) => {
    const invitation = await invitationOf(request.params, request.ip);
    const { accountId, email, role, invitedBy, isMailed, expiresAt } = invitation;
    const [account, inviter] = await Promise.all([
      store.accounts.find(accountId),
      store.people.find(invitedBy),
    ]);
    if (account === null) throw goneInvitation();
    const offer: InvitationOffer = {
      ...{ accountName: account.name, email, role, isMailed, expiresAt: expiresAt.toISOString() },
      invitedBy: inviter?.name ?? "an owner",
    };
    return offer;
  });

  app.post(
    "/api/sign-in/invitation/:token",
    { config: { role: "anyone" } },
    async (request, reply) => {
      requirePasswords(routing.options);
      const invitation = await invitationOf(request.params, request.ip);
      const { name, password } = readInput(ACCEPT, request.body);
      const { email, accountId } = invitation;
      await checkPassword(password, email);
      const passwordHash = await hasher.hash(password);
      // Otherwise the inviter may have passed the link to anyone.
      const standing = invitation.isMailed
        ? { emailProvenAt: now() }
        : { onlyAccountId: accountId };
      const user = await join(invitation, { newUser: { email, name, passwordHash, ...standing } });
      await signIn({ request, reply }, { userId: user._id, accountId }, routing);
      return {};
    },
  );

  app.post("/api/invitations/:token/accept", { config: { role: "texts" } }, async (request) => {
    const invitation = await invitationOf(request.params, request.ip);
    const { user, session } = request.principal;
    const { email, accountId } = invitation;
    if (user.email !== email) {
      throw new HttpError(
        "not_allowed",
        `This invitation is for ${email}. Sign out and open the link again`,
      );
    }
    if (user.emailProvenAt === null) {
      if (!invitation.isMailed) throw unproven(email);
      // The link verifies the address.
      const proven = { emailProvenAt: now(), onlyAccountId: null, proof: null };
      if (await store.people.update(user._id, proven, { email }).catch(otherLogin) === null) {
        throw new HttpError("conflict", "Your address was changed meanwhile. Try again");
      }
    }
    await join(invitation, { userId: user._id });
    const { lastSeenAt, expiresAt } = session;
    await store.sessions.touch(session._id, { lastSeenAt, expiresAt, accountId });
    return {};
  });
}

/** Throws the error for an address that another login has verified. */
function otherLogin(error: unknown): never {
  if (!(error instanceof NameTakenError)) throw error;
  throw new HttpError("conflict", "You already have a login here. Sign in and open the link again");
}

function goneInvitation(): HttpError {
  return new HttpError(
    "not_found",
    "This invitation was used, revoked, or is older than 7 days. Ask for a new one",
  );
}
