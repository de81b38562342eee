import type { Routing } from "../routing.ts";
import type { PasswordHasher } from "../password_hasher.ts";
import type { Attempts } from "../attempts.ts";
import type { SecondFactors } from "../second_factor.ts";

/** What routes need that sign people in or confirm who they are. */
export interface SignInRouting extends Routing {
  hasher: PasswordHasher;
  attempts: Attempts;
  secondFactors: SecondFactors;
}
