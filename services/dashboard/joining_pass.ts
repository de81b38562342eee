import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { VerifiedIdentity } from "./oidc_entry.ts";

/** How long a person has to decide what to join. */
export const PASS_AGE_MS = 10 * 60_000;

const KEY_BYTES = 32;

const PASS = z.object({
  identity: z.object({
    ...{ issuer: z.string(), subject: z.string(), email: z.string() },
    name: z.string().nullable(),
  }),
  /** In milliseconds since 1970. */
  expiresAt: z.number(),
});

/**
 * Issues passes, which a browser keeps between its return from the provider and the decision what
 * to join. A pass is sealed under a key that every process derives from the provider's secret.
 */
export interface JoiningPasses {
  issue(identity: VerifiedIdentity): string;
  /** Returns the identity in a pass, if this dashboard has issued it and it has not expired. */
  read(pass: string | undefined): VerifiedIdentity | undefined;
}

/** Opens the issuer and reader of passes. */
export function openJoiningPasses(
  { secret, now }: { secret: string; now: () => Date },
): JoiningPasses {
  const key = Buffer.from(hkdfSync("sha256", secret, "", "posthaste joining", KEY_BYTES));
  const sealOf = (claims: string) => createHmac("sha256", key).update(claims).digest();
  return {
    issue({ issuer, subject, email, name }) {
      const expiresAt = now().getTime() + PASS_AGE_MS;
      const json = JSON.stringify({ identity: { issuer, subject, email, name }, expiresAt });
      const claims = Buffer.from(json).toString("base64url");
      return `${claims}.${sealOf(claims).toString("base64url")}`;
    },
    read(pass = "") {
      const [claims = "", seal = ""] = pass.split(".");
      const [given, wanted] = [Buffer.from(seal, "base64url"), sealOf(claims)];
      if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
      const { identity, expiresAt } = PASS.parse(
        JSON.parse(Buffer.from(claims, "base64url").toString()),
      );
      return expiresAt > now().getTime() ? identity : undefined;
    },
  };
}
