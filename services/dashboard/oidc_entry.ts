import type { User } from "@posthaste/contracts";
import type { StorePart } from "@posthaste/storage";
import type { OidcIdentity } from "./oidc.ts";

/** The operations of the store that {@linkcode admit} needs. */
export type AdmissionDeps =
  & StorePart<
    | "people.listMemberships"
    | "people.findByOidc"
    | "people.findByProvenEmail"
    | "people.link"
    | "invitations.listTo"
  >
  & {
    now(): Date;
  };

/** Why a person whom the provider knows is not admitted. */
export type OidcFault = "unverified" | "not_member";

/** A person at a provider, with an address that it has verified. */
export type VerifiedIdentity = OidcIdentity & { email: string };

/** The admitted user and the account; or a person who must first choose what to join. */
export type Admission =
  | { user: User; accountId: string }
  | { asked: VerifiedIdentity }
  | { refusal: OidcFault };

/**
 * Finds the user who signed in at the provider: by the provider's subject, else by an address that
 * the provider and the user have both verified. A person without a membership but with an
 * invitation must choose what to join. All others are refused.
 */
export async function admit(identity: OidcIdentity, deps: AdmissionDeps): Promise<Admission> {
  const { email, issuer, subject } = identity;
  const user = await deps.people.findByOidc({ issuer, subject }) ??
    (email === null ? null : await linked({ ...identity, email }, deps));
  if (user === "somebody_else") return { refusal: "not_member" };
  const [first] = user === null ? [] : await deps.people.listMemberships(user._id);
  if (user !== null && first !== undefined) return { user, accountId: first.accountId };
  if (email === null) return { refusal: user === null ? "unverified" : "not_member" };
  const invitations = await deps.invitations.listTo(email, deps.now());
  if (invitations.length === 0) return { refusal: "not_member" };
  return { asked: { ...identity, email } };
}

/**
 * Links the provider's subject to a user with a verified address. The address may belong to another
 * person at the provider by now.
 */
async function linked(
  { email, issuer, subject }: VerifiedIdentity,
  { people: { findByProvenEmail: findUserByProvenEmail, link: linkUser } }: AdmissionDeps,
): Promise<User | null | "somebody_else"> {
  const user = await findUserByProvenEmail(email);
  if (user === null) return null;
  return await linkUser(user._id, { issuer, subject }) ?? "somebody_else";
}
