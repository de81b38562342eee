import { type Invitation, ROLES } from "@posthaste/contracts";
import type { MembershipChange } from "@posthaste/storage";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Routing } from "../routing.ts";
import { audit } from "../audit.ts";
import type { InvitationView, InvitedView, MembersView } from "../interface/people.ts";
import { emailInput } from "../people_input.ts";
import { QUOTAS, requireQuota } from "../quotas.ts";
import { HttpError } from "../http_error.ts";
import { readInput } from "../read_input.ts";
import { describeRole } from "../describe_role.ts";
import { hashToken, newToken, requireRecent } from "../session.ts";

const INVITATION_AGE_MS = 7 * 24 * 3600_000;
const MAX_INVITATIONS = 100;

const MEMBER = z.object({ userId: z.string() });
const ROLE = z.object({ role: z.enum(ROLES) });
const INVITE = z.object({ email: emailInput, role: z.enum(ROLES) });
const INVITATION = z.object({ invitationId: z.string() });

/** Adds the routes of the account's members and invitations. */
export function memberRoutes(app: FastifyInstance, { deps, options, mail }: Routing): void {
  const { store, now } = deps;
  const { members: maxMembers } = options.quotas ?? QUOTAS;
  const log = { ...store, now };

  app.get("/api/members", { config: { role: "viewer" } }, async ({ principal }) => {
    const { accountId, role } = principal;
    const people = await store.people.listMembers(accountId);
    const nameOf = new Map(people.map(({ user }) => [user._id, user.name]));
    const open = role === "owner" ? await store.invitations.list(accountId, now()) : [];
    const view: MembersView = {
      members: people.map(({ member, user }) => ({
        ...{ userId: user._id, name: user.name, email: user.email, role: member.role },
        isProven: user.emailProvenAt !== null,
        since: member.createdAt.toISOString(),
      })),
      invitations: open.map((each) => viewOf(each, nameOf.get(each.invitedBy) ?? "an owner")),
    };
    return view;
  });

  app.put(
    "/api/members/:userId",
    { config: { role: "owner", isRecent: true } },
    async (request) => {
      const { userId } = readInput(MEMBER, request.params);
      const { role } = readInput(ROLE, request.body);
      const { accountId } = request.principal;
      const before = await store.people.findMember(accountId, userId);
      const user = await store.people.find(userId);
      refuse(await store.people.changeRole(accountId, userId, role));
      await audit(log, request.principal, {
        ...{ action: "member.role_changed", target: user?.email ?? userId },
        details: { from: before?.role ?? null, to: role },
      });
      return {};
    },
  );

  app.delete(
    "/api/members/:userId",
    { config: { role: "owner", isRecent: true } },
    async (request) => {
      const { userId } = readInput(MEMBER, request.params);
      const user = await store.people.find(userId);
      refuse(await store.people.removeMember(request.principal.accountId, userId));
      const target = user?.email ?? userId;
      await audit(log, request.principal, { action: "member.removed", target });
      return {};
    },
  );

  app.post("/api/invitations", { config: { role: "owner" } }, async ({ principal, body }) => {
    const { email, role } = readInput(INVITE, body);
    const { accountId, account, user } = principal;
    if (role === "owner") requireRecent(principal, now());
    const members = await store.people.listMembers(accountId);
    if (members.some((member) => member.user.email === email)) {
      throw new HttpError("conflict", `${email} is already a member`);
    }
    const at = now();
    const open = await store.invitations.list(accountId, at);
    const others = open.filter((each) => each.email !== email).length;
    requireQuota(
      members.length + others,
      maxMembers,
      `The account has ${maxMembers} members and invitations, the maximum. Remove one first`,
    );
    if (open.length >= MAX_INVITATIONS && !open.some((each) => each.email === email)) {
      throw new HttpError(
        "conflict",
        `There are ${MAX_INVITATIONS} invitations, the maximum. Revoke some first`,
      );
    }
    const token = newToken();
    const invitation: Invitation = {
      ...{ _id: hashToken(token), accountId, email, role, invitedBy: user._id, createdAt: at },
      expiresAt: new Date(at.getTime() + INVITATION_AGE_MS),
      isMailed: mail !== undefined,
    };
    await store.invitations.create(invitation);
    const link = new URL(`/invitation/${token}`, options.publicUrl).href;
    await mail?.send("invitation", {
      to: email,
      variables: { inviter: user.name, account: account.name, role: describeRole(role), link },
    });
    const entry = { action: "member.invited", target: email, details: { role } };
    await audit(log, principal, entry);
    const view: InvitedView = {
      invitation: viewOf(invitation, user.name),
      link: mail === undefined ? link : null,
    };
    return view;
  });

  app.delete("/api/invitations/:invitationId", { config: { role: "owner" } }, async (request) => {
    const { invitationId } = readInput(INVITATION, request.params);
    const { accountId } = request.principal;
    const open = await store.invitations.list(accountId, now());
    if (!await store.invitations.remove(accountId, invitationId)) {
      throw new HttpError("not_found", "This invitation was used or revoked");
    }
    const target = open.find(({ _id }) => _id === invitationId)?.email ?? "invitation";
    await audit(log, request.principal, { action: "invitation.taken_back", target });
    return {};
  });
}

function refuse(change: MembershipChange): void {
  if (change === "no_member") {
    throw new HttpError("not_found", "This person is not a member of the account");
  }
  if (change === "done") return;
  throw new HttpError(
    "conflict",
    "An account needs an owner. Make someone else an owner first",
  );
}

function viewOf(invitation: Invitation, invitedBy: string): InvitationView {
  const { _id, email, role, createdAt, expiresAt } = invitation;
  return {
    ...{ id: _id, email, role, invitedBy },
    ...{ createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() },
  };
}
