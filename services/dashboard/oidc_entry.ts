import type { User } from "@posthaste/contracts";
import type { StorePart } from "@posthaste/storage";
import type { OidcIdentity } from "./oidc.ts";

/** What {@linkcode admit} needs of the store. */
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

/** Why somebody whom the provider knows is not let in. */
export type OidcFault = "unverified" | "not_member";

/** Somebody of a provider, with an address that it has verified. */
export type VerifiedIdentity = OidcIdentity & { email: string };

/** Who was let in, and to which account; or who is to be asked first what they want to join. */
export type Admission =
  | { user: User; accountId: string }
  | { asked: VerifiedIdentity }
  | { refusal: OidcFault };

/**
 * Finds the user who signed in at the provider: by the provider's own name for them, else by an address
 * that the provider has verified and the user has proven. Anyone who is a member of nothing, but invited, is
 * asked what they want to join. Nobody else comes in.
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

/** Links who has proven the address. It may have passed to somebody else at the provider. */
async function linked(
  { email, issuer, subject }: VerifiedIdentity,
  { people: { findByProvenEmail: findUserByProvenEmail, link: linkUser } }: AdmissionDeps,
): Promise<User | null | "somebody_else"> {
  const user = await findUserByProvenEmail(email);
  if (user === null) return null;
  return await linkUser(user._id, { issuer, subject }) ?? "somebody_else";
}
