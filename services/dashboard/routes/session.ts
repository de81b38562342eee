import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Routing } from "../routing.ts";
import { confirmBy, DEMO_USER } from "../demo_user.ts";
import { signIn } from "../sign_in.ts";
import { SESSION_COOKIE } from "../guard.ts";
import type { SessionView, SignInView } from "../interface/session.ts";
import { HttpError } from "../http_error.ts";
import { readInput } from "../read_input.ts";
import { hasSecondFactor } from "../second_factor.ts";
import { needsSecondFactor, type Principal } from "../session.ts";

/** Adds the routes that show the session and the ways to sign in, change the account, and sign out. */
export function sessionRoutes(app: FastifyInstance, routing: Routing): void {
  const { deps: { store, now }, options } = routing;
  const { demoAccount } = options;

  app.get("/api/sign-in", { config: { role: "anyone" } }, async (): Promise<SignInView> => {
    const account = demoAccount === undefined ? null : await store.accounts.find(demoAccount);
    return {
      needsSetup: account === null && !await store.people.hasAny(),
      demoAccount: account?.name ?? null,
      oidcName: options.oidc?.name ?? null,
      hasPasswords: options.hasPasswords ?? true,
      sendsMail: options.systemAccount !== undefined,
    };
  });

  app.get("/api/session", { config: { role: "texts" } }, ({ principal }) => viewOf(principal));

  app.put("/api/session/account", { config: { role: "texts" } }, async (request) => {
    const { id } = readInput(z.object({ id: z.string() }), request.body);
    const { session, user } = request.principal;
    if (await store.people.findMember(id, user._id) === null) {
      throw new HttpError("not_found", "You are not a member of this account");
    }
    const { lastSeenAt, expiresAt } = session;
    await store.sessions.touch(session._id, { lastSeenAt, expiresAt, accountId: id });
    return {};
  });

  app.delete("/api/session", { config: { role: "texts" } }, async (request, reply) => {
    await store.sessions.remove(request.principal.session._id);
    reply.clearCookie(SESSION_COOKIE, { path: "/", secure: true });
    return {};
  });

  app.post("/api/sign-in/demo", { config: { role: "anyone" } }, async (request, reply) => {
    const account = demoAccount === undefined ? null : await store.accounts.find(demoAccount);
    if (account === null) {
      throw new HttpError("not_found", "There is no demonstration account here");
    }
    const user = await store.people.findByProvenEmail(DEMO_USER.email) ??
      await store.people.create({ ...DEMO_USER, passwordHash: null, emailProvenAt: now() });
    await store.people.setMember({ accountId: account._id, userId: user._id, role: "owner" });
    await signIn({ request, reply }, { userId: user._id, accountId: account._id }, routing);
    return {};
  });

  async function viewOf(principal: Principal): Promise<SessionView> {
    const { user, account, role, session } = principal;
    const memberships = await store.people.listMemberships(user._id);
    const accounts = await Promise.all(memberships.map(async ({ accountId, role }) => {
      const found = await store.accounts.find(accountId);
      return found === null ? [] : [{ id: found._id, name: found.name, role }];
    }));
    return {
      user: {
        id: user._id,
        email: user.email,
        isProven: user.emailProvenAt !== null,
        name: user.name,
        hasPassword: user.passwordHash !== null,
        confirmBy: confirmBy(user, options),
        hasSecondFactor: hasSecondFactor(user),
      },
      account: {
        ...{ id: account._id, name: account.name },
        requiresSecondFactor: account.requiresSecondFactor,
      },
      needsSecondFactor: needsSecondFactor(principal),
      role,
      accounts: accounts.flat(),
      csrfToken: session.csrfToken,
      apiUrl: options.apiUrl,
    };
  }
}
