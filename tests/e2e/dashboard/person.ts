import { createHash, randomBytes } from "node:crypto";
import type { Role } from "@posthaste/contracts";
import type { AccountOfSystem } from "../system.ts";

/** A signed-in person. */
export interface Person {
  readonly userId: string;
  /** The cookies of the browser. */
  readonly cookie: { name: string; value: string };
  /** Sends a request to the dashboard's interface, and throws unless the answer is 2xx. */
  ask<Body>(method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: unknown): Promise<Body>;
}

/** A person's name, account and role. */
export interface Membership {
  accountId: string;
  role: Role;
  name: string;
}

/** Makes a person a member of an account, and signs them in. */
export async function signIn(
  { store, stack }: Pick<AccountOfSystem, "store" | "stack">,
  { accountId, role, name }: Membership,
): Promise<Person> {
  // Accounts of one system have people of their own.
  const domain = `${accountId.toLowerCase().slice(-6)}.example`;
  const email = `${name.toLowerCase().replaceAll(" ", ".")}@${domain}`;
  const user = await store.people.findByProvenEmail(email) ??
    await store.people.create({ email, name, passwordHash: null, emailProvenAt: new Date() });
  await store.people.setMember({ accountId, userId: user._id, role });
  const [token, csrfToken] = [newToken(), newToken()];
  const at = new Date();
  await store.sessions.create({
    ...{ _id: hashOf(token), userId: user._id, accountId, csrfToken },
    userAgent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36",
    ...{
      createdAt: at,
      lastSeenAt: at,
      confirmedAt: at,
      expiresAt: new Date(at.getTime() + DAY_MS),
    },
  });
  const cookie = { name: "__Host-posthaste", value: token };
  return {
    userId: user._id,
    cookie,
    async ask(method, path, body) {
      const answer = await fetch(`${stack.dashboardUrl}/api${path}`, {
        method,
        headers: {
          cookie: `${cookie.name}=${cookie.value}`,
          origin: stack.dashboardUrl,
          "x-csrf-token": csrfToken,
          "x-account": accountId,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (answer.ok) return await answer.json();
      throw new Error(`Cannot ${method} ${path}: ${answer.status} ${await answer.text()}`);
    },
  };
}

/** Returns the hash under which a token of a session, or of an invitation, is stored. */
export function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

function newToken(): string {
  return randomBytes(32).toString("base64url");
}

const DAY_MS = 86_400_000;
