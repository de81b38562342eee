import type { AccessToken, Account } from "@posthaste/contracts";
import type { Principal } from "./session.ts";

/** Who asks where programs may ask, too: a person at a browser, or a program with a token. */
export interface Actor {
  account: Account;
  accountId: string;
  /** Of the session or the token. */
  id: string;
  /** As people know it: `Ada`, or `token "CI" (ph_abc123)`. */
  name: string;
  /** Null for a program. */
  userId: string | null;
  /** As the audit log calls who has done something; for a program its name. */
  email: string;
  /** Null for a person. */
  token: AccessToken | null;
  /** Null for a program. */
  person: Principal | null;
}

/** Returns the actor that somebody at a browser is. */
export function actorOfPerson(person: Principal): Actor {
  const { account, accountId, session, user } = person;
  return {
    ...{ account, accountId, person, token: null },
    ...{ id: session._id, name: user.name, userId: user._id, email: user.email },
  };
}

/** Returns the actor that a program with a token is. */
export function actorOfToken(token: AccessToken, account: Account): Actor {
  const name = `token "${token.name}" (${token.prefix})`;
  return {
    ...{ account, accountId: account._id, person: null, token },
    ...{ id: token._id, name, userId: null, email: name },
  };
}
