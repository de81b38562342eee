import type { User } from "@posthaste/contracts";
import type { DashboardOptions } from "./dashboard_options.ts";
import type { ConfirmationWay } from "./interface/session.ts";

/** The user that one click signs in as in the demonstration. */
export const DEMO_USER = { email: "developer@northwind.example", name: "Developer" };

/** Returns how a user confirms their identity: the demonstration's user by a click. */
export function confirmBy(
  { passwordHash, email }: Pick<User, "passwordHash" | "email">,
  { demoAccount }: Pick<DashboardOptions, "demoAccount">,
): ConfirmationWay {
  if (passwordHash !== null) return "password";
  return demoAccount !== undefined && email === DEMO_USER.email ? "click" : "provider";
}
