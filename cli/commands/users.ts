import type { User } from "@posthaste/contracts";
import type { Store } from "@posthaste/storage";
import { Command } from "commander";
import { askPassword } from "../ask_password.ts";
import { type CommandContext, openStoreFor } from "../command_context.ts";
import { CommandError, notFoundError } from "../command_error.ts";
import { EXIT } from "../exit_code.ts";
import { formatTime } from "../format.ts";
import { applyDatabaseUsers } from "../apply_database_users.ts";

/** `posthaste users …` */
export function usersCommand(context: CommandContext): Command {
  const command = new Command("users")
    .description("Manage people of the dashboard, and database users of the services.")
    .addHelpText(
      "after",
      `
Examples:
  posthaste users list
  posthaste users set-password ann@example.com
  posthaste users remove ann@example.com
  posthaste users apply users.json
`,
    );
  command.command("apply <file>")
    .description("Create or change the database users of the services, with minimal rights.")
    .addHelpText(
      "after",
      `
MONGODB_URL must name a user with the right to create users. The file is JSON, readable only by its owner:
  {"operator": "…", "api": "…", "renderer": "…", "mailer": "…", "tracker": "…", "webhooks": "…", "dashboard": "…"}
Each value is a password of at least 16 characters. Repeat the command before each upgrade:
rights may have changed. To change a password, change the file, apply it, and restart that
service again.

Example:
  posthaste users apply /run/secrets/database_users.json
`,
    )
    .action((file: string) => applyDatabaseUsers(context, file));
  command.command("list")
    .description("List all people who sign in to the dashboard.")
    .addHelpText("after", "\nExample:\n  posthaste users list\n")
    .action(() => listUsers(context));
  command.command("set-password <person>")
    .description("Set a new password for a person, and sign them out everywhere.")
    .option("--password-stdin", "read the password from the standard input")
    .addHelpText(
      "after",
      `
Name the person by address or id: several people may have the same unverified address.
The password is read from the terminal or the standard input; it is never an argument.

Example:
  posthaste users set-password ann@example.com
`,
    )
    .action((who: string) => setPassword(context, who));
  command.command("remove-second-factor <person>")
    .description("Remove the second factor of a person who lost it; they sign in by password.")
    .addHelpText(
      "after",
      `
Their passkeys, authenticator app and recovery codes are removed, and they are signed out everywhere.
Verify the identity of the person first.

Example:
  posthaste users remove-second-factor ann@example.com
`,
    )
    .action((who: string) => removeSecondFactor(context, who));
  command.command("remove <person>")
    .description("Remove a person from all accounts permanently, and sign them out everywhere.")
    .addHelpText("after", "\nExample:\n  posthaste users remove ann@example.com\n")
    .action((who: string) => removeUser(context, who));
  return command;
}

async function listUsers(context: CommandContext): Promise<void> {
  const { output } = context;
  await using store = await openStoreFor(context);
  const users = await store.people.list();
  output.result(
    users.map(show),
    () =>
      users.length === 0
        ? "There are no people yet. Open the dashboard to create the first account"
        : output.table(
          ["EMAIL", "PROVEN", "NAME", "SIGNS IN WITH", "SINCE", "ID"],
          users.map((user) => [
            user.email,
            user.emailProvenAt === null ? "no" : "yes",
            user.name,
            waysOf(user).join(", ") || "nothing",
            formatTime(user.createdAt),
            user._id,
          ]),
        ),
  );
}

async function setPassword(context: CommandContext, who: string): Promise<void> {
  const { output, stdin, stderr } = context;
  await using store = await openStoreFor(context);
  const user = await findPerson(store, who, "Cannot set a password");
  const { hashPassword, passwordFault } = await import("@posthaste/storage");
  const password = await askPassword({ stdin, stderr, question: `New password of ${user.email}` });
  const fault = await passwordFault(password, user.email);
  if (fault !== undefined) {
    throw new CommandError(`Cannot use the password: it ${fault}`, { exitCode: EXIT.refused });
  }
  await store.people.update(user._id, { passwordHash: await hashPassword(password) });
  const ended = await store.sessions.removeAll(user._id);
  output.result(
    { email: user.email, sessionsEnded: ended },
    () =>
      `${user.email} has a new password; ${ended} ${
        ended === 1 ? "browser was" : "browsers were"
      } signed out`,
  );
}

async function removeSecondFactor(context: CommandContext, who: string): Promise<void> {
  await using store = await openStoreFor(context);
  const user = await findPerson(store, who, "Cannot remove a second factor");
  const { NO_SECOND_FACTOR } = await import("@posthaste/contracts");
  await store.people.update(user._id, { secondFactor: { ...NO_SECOND_FACTOR } });
  const sessionsEnded = await store.sessions.removeAll(user._id);
  context.output.result(
    { email: user.email, sessionsEnded },
    () => `${user.email} has no second factor any more, and is signed out everywhere`,
  );
}

async function removeUser(context: CommandContext, who: string): Promise<void> {
  await using store = await openStoreFor(context);
  const user = await findPerson(store, who, "Cannot remove a login");
  const { ownerless } = await store.people.remove(user._id);
  if (ownerless.length > 0) {
    const found = await Promise.all(ownerless.map((id) => store.accounts.find(id)));
    const names = found.map((account, at) => `"${account?.name ?? ownerless[at]}"`).join(", ");
    throw new CommandError(
      `Cannot remove ${user.email}: there is no other owner of ${names}; add one in the dashboard`,
      { exitCode: EXIT.refused },
    );
  }
  context.output.result(
    { email: user.email, removed: true },
    () => `${user.email} is removed, and signed out everywhere`,
  );
}

/** Finds a person by id, or by an address that no other person has. */
async function findPerson(store: Store, who: string, cannot: string): Promise<User> {
  const byId = await store.people.find(who);
  const found = byId === null ? await store.people.listByEmail(who) : [byId];
  const [user] = found;
  if (user === undefined) throw notFoundError(`${cannot}: there is no person "${who}"`);
  if (found.length === 1) return user;
  throw new CommandError(
    `${cannot}: ${found.length} people have the address "${who}"`,
    { exitCode: EXIT.refused, remedy: `use an id: ${found.map(({ _id }) => _id).join(", ")}` },
  );
}

function show(user: User) {
  const { _id: id, email, emailProvenAt, name, createdAt } = user;
  return { id, email, emailProvenAt, name, signsInWith: waysOf(user), createdAt };
}

function waysOf({ passwordHash, oidc }: User): string[] {
  return [...(passwordHash === null ? [] : ["password"]), ...(oidc === null ? [] : ["oidc"])];
}
