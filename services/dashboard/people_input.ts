import { emailAddressSchema, MAX_PASSWORD } from "@posthaste/contracts";
import { z } from "zod";
import { passwordFault } from "@posthaste/storage";
import { HttpError } from "./http_error.ts";

const MAX_NAME = 200;

/** Name of a person, an account or a token: one line. */
export const nameInput = z.string().trim().min(1, { error: "must not be empty" })
  .max(MAX_NAME, { error: `must not have more than ${MAX_NAME} characters` })
  .refine((name) => !/[\p{Cc}\u2028\u2029]/u.test(name), { error: "must be one line" });

/** Address of a person, in lower case, which makes it unique. */
export const emailInput = z.string().trim().toLowerCase().pipe(emailAddressSchema);

/** A password as typed; one that is far too long is not hashed. */
export const passwordInput = z.string().max(MAX_PASSWORD * 2, { error: "is too long" });

/**
 * Rejects an unsuitable new password.
 *
 * @throws {HttpError} `invalid_request`
 */
export async function checkPassword(password: string, email: string): Promise<void> {
  const fault = await passwordFault(password, email);
  if (fault === undefined) return;
  throw new HttpError("invalid_request", `Cannot use the password: it ${fault}`, {
    issues: [{ path: "password", message: fault }],
  });
}
