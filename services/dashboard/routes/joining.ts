import type { CookieSerializeOptions } from "@fastify/cookie";
import type { Invitation } from "@posthaste/contracts";
import type { FastifyInstance, FastifyReply } from "fastify";
import { z } from "zod";
import { audit } from "../audit.ts";
import { signIn } from "../sign_in.ts";
import type { JoiningOffer, JoiningView } from "../interface/people.ts";
import { type JoiningPasses, PASS_AGE_MS } from "../joining_pass.ts";
import type { VerifiedIdentity } from "../oidc_entry.ts";
import { HttpError } from "../http_error.ts";
import { readInput } from "../read_input.ts";
import type { SignInRouting } from "./sign_in_routing.ts";

/** Name of the cookie of a person from the provider who has not yet chosen what to join. */
export const JOINING_COOKIE = "__Host-posthaste-joining";

const COOKIE: CookieSerializeOptions = {
  ...{ path: "/", httpOnly: true, secure: true, sameSite: "lax" },
};
const JOIN = z.object({ id: z.string().max(100) });

/** Redirects to the page that asks what to join. */
export function askWhatToJoin(
  reply: FastifyReply,
  identity: VerifiedIdentity,
  passes: JoiningPasses,
): FastifyReply {
  reply.setCookie(JOINING_COOKIE, passes.issue(identity), {
    ...COOKIE,
    maxAge: PASS_AGE_MS / 1000,
  });
  return reply.redirect("/joining", 303);
}

/** Adds the routes for joining, for people from the provider whose verified address was invited. */
export function joiningRoutes(
  app: FastifyInstance,
  routing: SignInRouting,
  passes: JoiningPasses,
): void {
  const { store, now } = routing.deps;

  function identityOf(cookie: string | undefined): VerifiedIdentity {
    const identity = passes.read(cookie);
    if (identity !== undefined) return identity;
    throw new HttpError("not_found", "The sign-in expired. Sign in again");
  }

  async function offerOf({ _id, accountId, role, invitedBy }: Invitation): Promise<JoiningOffer[]> {
    const [account, inviter] = await Promise.all([
      store.accounts.find(accountId),
      store.people.find(invitedBy),
    ]);
    if (account === null) return [];
    const invited = inviter === null ? "an owner" : inviter.name;
    const isProven = (inviter?.emailProvenAt ?? null) !== null;
    return [{
      ...{ id: _id, accountName: account.name, role, invitedBy: invited },
      inviterEmail: isProven ? inviter?.email ?? null : null,
    }];
  }

  app.get("/api/sign-in/joining", { config: { role: "anyone" } }, async (request) => {
    const { email } = identityOf(request.cookies[JOINING_COOKIE]);
    const invitations = await store.invitations.listTo(email, now());
    const offers = await Promise.all(invitations.map(offerOf));
    const view: JoiningView = { email, offers: offers.flat() };
    return view;
  });

  app.post("/api/sign-in/joining", { config: { role: "anyone" } }, async (request, reply) => {
    const { issuer, subject, email, name } = identityOf(request.cookies[JOINING_COOKIE]);
    const { id } = readInput(JOIN, request.body);
    const all = await store.invitations.listTo(email, now());
    const invitation = all.find(({ _id }) => _id === id);
    const known = await store.people.findByOidc({ issuer, subject });
    const joined = invitation === undefined ? null : await store.people.acceptInvitation(
      invitation,
      known === null
        ? {
          newUser: {
            ...{ email, passwordHash: null, oidc: { issuer, subject }, emailProvenAt: now() },
            name: name ?? email.split("@")[0] ?? email,
          },
        }
        : { userId: known._id },
    );
    if (joined === null || invitation === undefined) {
      throw new HttpError("not_found", "This invitation was used or revoked");
    }
    const { accountId } = invitation;
    const { user, member: { role } } = joined;
    await audit({ ...store, now }, { accountId, user }, {
      ...{ action: "invitation.accepted", target: `invitation of ${email}`, details: { role } },
    });
    reply.clearCookie(JOINING_COOKIE, COOKIE);
    await signIn({ request, reply }, { userId: user._id, accountId }, routing);
    return {};
  });
}
