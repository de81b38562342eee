import type { User } from "@posthaste/contracts";
import type { Store } from "@posthaste/storage";
import type { OidcIdentity } from "./oidc.ts";

/** What {@linkcode admit} needs of the store. */
export interface AdmissionDeps extends
  Pick<
    Store,
    | "acceptInvitation"
    | "findUserByEmail"
    | "findUserByOidc"
    | "listInvitationsTo"
    | "listMemberships"
    | "updateUser"
  > {
  now(): Date;
}

/** Why somebody whom the provider knows is not let in. */
export type Refusal = "unverified" | "not_member";

/** Who was let in, and to which account; with what they joined on the way. */
export type Admission =
  | { user: User; accountId: string; joined: { accountId: string; email: string }[] }
  | { refusal: Refusal };

/**
 * Finds the user who signed in at the provider: by the provider's own name for them, else by an address
 * that it has verified and that a member has, or that was invited. Nobody else comes in.
 */
export async function admit(identity: OidcIdentity, deps: AdmissionDeps): Promise<Admission> {
  const { email, issuer, subject } = identity;
  const known = await deps.findUserByOidc({ issuer, subject });
  const user = known ?? (email === null ? null : await deps.findUserByEmail(email));
  // The address has passed to somebody else at the provider: that is another person.
  if (user?.oidc && known === null) return { refusal: "not_member" };
  // Whoever says that an address is theirs must not be given the person whose it is.
  if (user?.hasNamedEmail && known === null) return { refusal: "not_member" };
  const [first] = user === null ? [] : await deps.listMemberships(user._id);
  if (user !== null && first !== undefined) {
    const entered = known ?? await link(user, identity, deps);
    return { user: entered, accountId: first.accountId, joined: [] };
  }
  if (email === null) return { refusal: known === null ? "unverified" : "not_member" };
  return await join(user, { ...identity, email }, deps);
}

async function join(
  user: User | null,
  { email, issuer, subject, name }: OidcIdentity & { email: string },
  deps: AdmissionDeps,
): Promise<Admission> {
  let entered = user;
  const joined: { accountId: string; email: string }[] = [];
  for (const invitation of await deps.listInvitationsTo(email, deps.now())) {
    const newUser = {
      ...{ email, passwordHash: null, oidc: { issuer, subject } },
      name: name ?? email.split("@")[0] ?? email,
    };
    const joining = entered === null ? { newUser } : { userId: entered._id };
    const done = await deps.acceptInvitation(invitation, joining);
    if (done === null) continue;
    entered = done.user;
    joined.push({ accountId: invitation.accountId, email });
  }
  const [first] = joined;
  if (entered === null || first === undefined) return { refusal: "not_member" };
  if (entered.oidc === null) entered = await link(entered, { issuer, subject }, deps);
  return { user: entered, accountId: first.accountId, joined };
}

async function link(
  user: User,
  { issuer, subject }: Pick<OidcIdentity, "issuer" | "subject">,
  { updateUser }: AdmissionDeps,
): Promise<User> {
  return await updateUser(user._id, { oidc: { issuer, subject } }) ?? user;
}
