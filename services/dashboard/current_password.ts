import type { User } from "@posthaste/contracts";
import { PER_PERSON } from "./attempts.ts";
import { HttpError } from "./http_error.ts";
import type { SignInRouting } from "./routes/sign_in_routing.ts";

/**
 * Checks the current password of a signed-in user. Wrong ones are counted together for all
 * purposes.
 *
 * @param path Where the password is in the request
 * @throws {HttpError} If it is wrong, was tried too often, or there is none
 */
export async function checkCurrentPassword(
  user: User,
  password: string,
  { hasher, attempts }: Pick<SignInRouting, "hasher" | "attempts">,
  path = "password",
): Promise<void> {
  if (user.passwordHash === null) {
    throw new HttpError("conflict", "You have no password here: you sign in at your provider");
  }
  const keys = { [`password ${user._id}`]: PER_PERSON };
  await attempts.begin(keys);
  if (!(await hasher.verify(password, user.passwordHash)).isRight) {
    const issues = [{ path, message: "is wrong" }];
    throw new HttpError("wrong_login", "The current password is wrong", { issues });
  }
  await attempts.succeed(keys, { forget: Object.keys(keys) });
}
