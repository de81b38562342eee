import { randomBytes } from "node:crypto";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { z } from "zod";
import { BROKER_USERS } from "@posthaste/messaging";
import { DATABASE_USERS } from "@posthaste/storage";

const password = z.string().regex(/^[0-9a-f]{32,}$/);
const usersSchema = z.object({
  broker: z.record(z.enum(["operator", ...BROKER_USERS]), password),
  database: z.record(z.enum(["operator", ...DATABASE_USERS]), password),
  /** Part of the prefix under which the broker's streams are administered. */
  apiSecret: password,
  /** The members' of the replica set, of which there is one. */
  replicaSetKey: password,
});

/** The passwords of an installation: one user for each service, at broker and database. */
export type Users = z.infer<typeof usersSchema>;

/**
 * Reads the passwords of the first start, or generates them. Only its owner can read the file. A lost or
 * incomplete one is generated again: the servers get them at each start.
 */
export async function keptUsers(file: string): Promise<Users> {
  const kept = await readUsers(file);
  const users = kept ?? newUsers();
  if (kept === undefined) await writeFile(file, `${JSON.stringify(users, null, 2)}\n`, MODE);
  await chmod(file, MODE.mode);
  return users;
}

const MODE = { mode: 0o600 };

async function readUsers(file: string): Promise<Users | undefined> {
  try {
    return usersSchema.parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return undefined;
  }
}

function newUsers(): Users {
  const each = (names: readonly string[]) =>
    Object.fromEntries(["operator", ...names].map((name) => [name, newPassword()]));
  return usersSchema.parse({
    broker: each(BROKER_USERS),
    database: each(DATABASE_USERS),
    apiSecret: newPassword(),
    replicaSetKey: newPassword(),
  });
}

// Of digits without a special meaning in an address.
function newPassword(): string {
  return randomBytes(24).toString("hex");
}

/** Puts a user into the address of a server. */
export function loginAs(url: string, user: string, password: string): string {
  return url.replace(/\/\/(?:[^@/]*@)?/, `//${user}:${password}@`);
}
