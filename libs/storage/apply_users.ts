import { type Db, type Document, MongoClient, MongoServerError } from "mongodb";
import {
  DATABASE_RIGHTS,
  DATABASE_USERS,
  type DatabaseUser,
  KNOWS_SIZES,
} from "./database_rights.ts";
import { databaseOf } from "./_database_of.ts";

/** The database users and their passwords. */
export interface DatabaseLogins {
  /** Has all rights. */
  operator: string;
  services: Readonly<Record<DatabaseUser, string>>;
}

const NOT_FOUND = [11, 31];

/**
 * Creates or updates the roles and users of the services and of the operator. Idempotent.
 *
 * @param url Connection string of a user who may create users. Its path names the database that the rights
 * are about.
 * @throws {Error} If the user may not create users, or the database does not answer.
 */
export async function applyUsers(url: string, logins: DatabaseLogins): Promise<void> {
  const database = databaseOf(url);
  await using client = await new MongoClient(url, { serverSelectionTimeoutMS: 5000 }).connect();
  const admin = client.db("admin");
  await upsert(admin, "User", "operator", { pwd: logins.operator, roles: ["root"] });
  for (const user of DATABASE_USERS) {
    const role = `${database}_${user}`;
    const privileges: { resource: object; actions: readonly string[] }[] = Object.entries(
      DATABASE_RIGHTS[user],
    ).map(([collection, actions]) => ({ resource: { db: database, collection }, actions }));
    if (KNOWS_SIZES.includes(user)) {
      privileges.push({ resource: { db: database, collection: "" }, actions: ["dbStats"] });
    }
    await upsert(admin, "Role", role, { privileges, roles: [] });
    await upsert(admin, "User", user, { pwd: logins.services[user], roles: [role] });
  }
}

async function upsert(admin: Db, kind: "User" | "Role", name: string, content: Document) {
  try {
    await admin.command({ [`update${kind}`]: name, ...content });
  } catch (error) {
    if (!(error instanceof MongoServerError) || !NOT_FOUND.includes(Number(error.code))) {
      throw error;
    }
    await admin.command({ [`create${kind}`]: name, ...content });
  }
}
