import type { CookieSerializeOptions } from "@fastify/cookie";
import { networkOf } from "@posthaste/http";
import type { FastifyInstance, FastifyReply } from "fastify";
import { z } from "zod";
import { PER_ADDRESS } from "../attempts.ts";
import { signIn } from "../sign_in.ts";
import type { OidcFault } from "../interface/session.ts";
import { openJoiningPasses } from "../joining_pass.ts";
import { openOidc } from "../oidc.ts";
import { admit } from "../oidc_entry.ts";
import { HttpError } from "../http_error.ts";
import { readInput } from "../read_input.ts";
import { newToken } from "../session.ts";
import { askWhatToJoin, joiningRoutes } from "./joining.ts";
import type { SignInRouting } from "./sign_in_routing.ts";

/** Name of the cookie that binds the provider's answer to the browser that was sent there. */
export const OIDC_COOKIE = "__Host-posthaste-oidc";

const CALLBACK = "/api/sign-in/oidc/callback";
const AWAY_S = 600;
const COOKIE: CookieSerializeOptions = {
  ...{ path: "/", httpOnly: true, secure: true, sameSite: "lax" },
};

const CHECKS = z.object({
  ...{ state: z.string(), nonce: z.string(), verifier: z.string() },
  invitation: z.string().optional(),
  back: z.string().optional(),
});
const BEGIN = z.object({
  invitation: z.string().regex(/^[\w-]{43}$/).optional(),
  /** The page to return to after a repeated sign-in. */
  back: z.string().max(500).regex(/^\/a\/[\w/-]*$/).optional(),
});

/** Adds the routes of sign-in at an OpenID Connect provider, if the operator has set one. */
export function oidcRoutes(app: FastifyInstance, routing: SignInRouting): void {
  const { deps, options, attempts } = routing;
  const { store, now, logger } = deps;
  const oidc = options.oidc === undefined ? undefined : openOidc(options.oidc);
  const passes = openJoiningPasses({ secret: options.oidc?.clientSecret ?? newToken(), now });
  joiningRoutes(app, routing, passes);

  app.get("/api/sign-in/oidc", { config: { role: "anyone" } }, async (request, reply) => {
    if (oidc === undefined) throw new HttpError("not_found", "No sign-in provider is configured");
    const { invitation, back } = readInput(BEGIN, request.query);
    try {
      const { url, checks } = await oidc.begin(
        new URL(CALLBACK, options.publicUrl).href,
        back !== undefined,
      );
      const kept = Buffer.from(JSON.stringify({ ...checks, invitation, back })).toString(
        "base64url",
      );
      reply.setCookie(OIDC_COOKIE, kept, { ...COOKIE, maxAge: AWAY_S });
      return reply.redirect(url.href, 303);
    } catch (error) {
      logger.warn("Cannot redirect to the OpenID Connect provider", { error });
      return refuse(reply, "provider");
    }
  });

  app.get(CALLBACK, { config: { role: "anyone" } }, async (request, reply) => {
    if (oidc === undefined) throw new HttpError("not_found", "No sign-in provider is configured");
    const keys = { [`oidc ${networkOf(request.ip)}`]: PER_ADDRESS };
    await attempts.begin(keys);
    const checks = readChecks(request.cookies[OIDC_COOKIE]);
    reply.clearCookie(OIDC_COOKIE, COOKIE);
    if (checks === undefined) return refuse(reply, "expired");
    const { invitation, back } = checks;
    const isConfirmed = back !== undefined;
    let identity;
    try {
      identity = await oidc.finish(new URL(request.url, options.publicUrl), checks, isConfirmed);
    } catch (error) {
      logger.warn("Cannot sign in by OpenID Connect", { error });
      return refuse(reply, "provider");
    }
    const admission = await admit(identity, { ...store, now });
    if ("refusal" in admission) return refuse(reply, admission.refusal);
    await attempts.succeed(keys);
    if ("asked" in admission) return askWhatToJoin(reply, admission.asked, passes);
    const { user, accountId } = admission;
    // The provider may still know the person and ask no question.
    await signIn({ request, reply }, { userId: user._id, accountId, isConfirmed }, routing);
    const next = invitation === undefined ? "/" : `/invitation/${invitation}`;
    return reply.redirect(back ?? next, 303);
  });
}

function refuse(reply: FastifyReply, why: OidcFault): FastifyReply {
  return reply.redirect(`/?refused=${why}`, 303);
}

function readChecks(cookie: string | undefined): z.infer<typeof CHECKS> | undefined {
  if (cookie === undefined) return undefined;
  try {
    return CHECKS.parse(JSON.parse(Buffer.from(cookie, "base64url").toString()));
  } catch {
    return undefined;
  }
}
