import type { FastifyInstance } from "fastify";
import type { Routing } from "../routing.ts";
import { openAttempts } from "../attempts.ts";
import { openPasswordHasher } from "../password_hasher.ts";
import { accountRoutes } from "./account.ts";
import { auditRoutes } from "./audit.ts";
import { recipientRoutes } from "./recipients.ts";
import { openSecondFactors } from "../second_factor.ts";
import { confirmationRoutes } from "./confirmation.ts";
import { signInRoutes } from "./sign_in.ts";
import { invitationRoutes } from "./invitation.ts";
import { memberRoutes } from "./members.ts";
import { oidcRoutes } from "./oidc.ts";
import { proofRoutes } from "./proof.ts";
import { resetRoutes } from "./reset.ts";
import { secondFactorRoutes } from "./second_factor.ts";
import { youRoutes } from "./you.ts";

/** All about people: how they sign in, who they are, and what they have done. */
export function peopleRoutes(app: FastifyInstance, routing: Routing): void {
  const { deps: { store, now }, options } = routing;
  const signInRouting = {
    ...routing,
    hasher: openPasswordHasher({ cost: options.passwordCost }),
    attempts: openAttempts({ ...store, now }),
    secondFactors: openSecondFactors({
      ...store,
      now,
      publicUrl: options.publicUrl,
      key: options.secondFactorKey,
    }),
  };
  signInRoutes(app, signInRouting);
  invitationRoutes(app, signInRouting);
  oidcRoutes(app, signInRouting);
  youRoutes(app, signInRouting);
  proofRoutes(app, signInRouting);
  confirmationRoutes(app, signInRouting);
  secondFactorRoutes(app, signInRouting);
  resetRoutes(app, signInRouting);
  memberRoutes(app, routing);
  accountRoutes(app, routing);
  auditRoutes(app, routing);
  recipientRoutes(app, routing);
}
