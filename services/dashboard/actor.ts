import type { AccessToken, Account } from "@posthaste/contracts";
import type { Principal } from "./session.ts";

/**
 * The caller of a route that programs may use, too: a person at a browser, or a program with a
 * token.
 */
export interface Actor {
  account: Account;
  accountId: string;
  /** Id of the session or the token. */
  id: string;
  /** Name for display: `Ada`, or `token "CI" (ph_abc123)`. */
  name: string;
  /** Null for a program. */
  userId: string | null;
  /** Name in the audit log; for a program the same as `name`. */
  email: string;
  /** Null for a person. */
  token: AccessToken | null;
  /** Null for a program. */
  person: Principal | null;
}

/** Returns the actor for a person at a browser. */
export function actorOfPerson(person: Principal): Actor {
  const { account, accountId, session, user } = person;
  return {
    ...{ account, accountId, person, token: null },
    ...{ id: session._id, name: user.name, userId: user._id, email: user.email },
  };
}

/** Returns the actor for a program with a token. */
export function actorOfToken(token: AccessToken, account: Account): Actor {
  const name = `token "${token.name}" (${token.prefix})`;
  return {
    ...{ account, accountId: account._id, person: null, token },
    ...{ id: token._id, name, userId: null, email: name },
  };
}
