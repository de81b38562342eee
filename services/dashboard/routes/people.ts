import type { FastifyInstance } from "fastify";
import type { Routing } from "../app.ts";
import { type Attempts, openAttempts } from "../attempts.ts";
import { openPasswordDesk, type PasswordDesk } from "../password_desk.ts";
import { accountRoutes } from "./account.ts";
import { auditRoutes } from "./audit.ts";
import { openSecondFactors, type SecondFactors } from "../second_factor.ts";
import { confirmationRoutes } from "./confirmation.ts";
import { entranceRoutes } from "./entrance.ts";
import { invitationRoutes } from "./invitation.ts";
import { memberRoutes } from "./members.ts";
import { oidcRoutes } from "./oidc.ts";
import { proofRoutes } from "./proof.ts";
import { resetRoutes } from "./reset.ts";
import { secondFactorRoutes } from "./second_factor.ts";
import { youRoutes } from "./you.ts";

/** What the routes are given that people enter by. */
export interface EntranceRouting extends Routing {
  desk: PasswordDesk;
  attempts: Attempts;
  secondFactors: SecondFactors;
}

/** All about people: how they enter, who they are, and what they have done. */
export function peopleRoutes(app: FastifyInstance, routing: Routing): void {
  const { deps: { store, now }, options } = routing;
  const entrance = {
    ...routing,
    desk: openPasswordDesk({ cost: options.passwordCost }),
    attempts: openAttempts({ ...store, now }),
    secondFactors: openSecondFactors({
      ...store,
      now,
      publicUrl: options.publicUrl,
      key: options.secondFactorKey,
    }),
  };
  entranceRoutes(app, entrance);
  invitationRoutes(app, entrance);
  oidcRoutes(app, entrance);
  youRoutes(app, entrance);
  proofRoutes(app, entrance);
  confirmationRoutes(app, entrance);
  secondFactorRoutes(app, entrance);
  resetRoutes(app, entrance);
  memberRoutes(app, routing);
  accountRoutes(app, routing);
  auditRoutes(app, routing);
}
