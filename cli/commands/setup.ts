import { Command } from "commander";
import { type CommandContext, reasonOf, resolvePath } from "../command_context.ts";
import { CommandError } from "../command_error.ts";
import { EXIT } from "../exit_code.ts";
import { sayCount } from "../say.ts";

interface SecretsOptions {
  mongodb: string;
  replicaSet: string;
  nats: string;
}

/** `posthaste setup …` */
export function setupCommand(context: CommandContext): Command {
  const command = new Command("setup")
    .description("Prepare a database and a broker of one's own, before the first migration.")
    .addHelpText(
      "after",
      `
Examples:
  posthaste setup secrets ./secrets
  posthaste setup database ./secrets
`,
    );
  command.command("secrets <folder>")
    .description("Draw the passwords and keys that are missing into a folder, one file each.")
    .option("--mongodb <host:port>", "the database, as services call it", "mongo:27017")
    .option("--replica-set <name>", "its replica set", "rs0")
    .option("--nats <host:port>", "the broker, as services call it", "nats:4222")
    .addHelpText(
      "after",
      `
What is there stays. The broker's accounts are written anew each time: they follow from the other
files, and from what this version lets each service do.

Example:
  posthaste setup secrets ./secrets
`,
    )
    .action((folder: string, options: SecretsOptions) => setupSecrets(context, folder, options));
  command.command("database <folder>")
    .description("Make a replica set of a new database, and its users as the folder has them.")
    .addHelpText(
      "after",
      `
It can run again and again, and does so before each new version is started.

Example:
  posthaste setup database /run/secrets
`,
    )
    .action((folder: string) => setupDatabase(context, folder));
  return command;
}

async function setupSecrets(
  { output, cwd }: CommandContext,
  folder: string,
  servers: SecretsOptions,
): Promise<void> {
  const { writeSecretFiles } = await import("../secret_files.ts");
  const files = writeSecretFiles(resolvePath(cwd, folder), servers);
  output.result({ files }, () => `${sayCount(files.length, "file")} written to "${folder}"`);
}

async function setupDatabase({ output, cwd }: CommandContext, folder: string): Promise<void> {
  const { mongodbFileOf, passwordIn, readSecretFileOf, SECRET_FILES } = await import(
    "../secret_files.ts"
  );
  const { applyUsers, DATABASE_USERS, ensureReplicaSet } = await import("@posthaste/storage");
  const read = (name: string) => readSecretFileOf(resolvePath(cwd, folder), name);
  const operatorUrl = read(mongodbFileOf("operator"));
  const key = read(SECRET_FILES.replicaSetKey);
  const services = Object.fromEntries(
    DATABASE_USERS.map((user) => [user, passwordIn(read(mongodbFileOf(user)))]),
  ) as Record<typeof DATABASE_USERS[number], string>;
  const { host, name } = placeOf(operatorUrl);
  try {
    const isNew = await ensureReplicaSet({ name, host, key });
    await applyUsers(keyHoldersUrl(operatorUrl, key), {
      operator: passwordIn(operatorUrl),
      services,
    });
    output.result(
      { replicaSet: isNew ? "made" : "ok", users: "ok" },
      () => `The replica set "${name}" ${isNew ? "was made" : "is there"}, and so are its users`,
    );
  } catch (cause) {
    throw new CommandError(`Cannot set up the database: ${reasonOf(cause)}`, {
      exitCode: EXIT.failed,
      remedy: "does mongod run with --replSet and the key of this folder?",
      cause,
    });
  }
}

function placeOf(url: string): { host: string; name: string } {
  const [, host] = /@([^/,]+)\//.exec(url) ?? [];
  const [, name] = /[?&]replicaSet=([^&]+)/.exec(url) ?? [];
  if (host !== undefined && name !== undefined) return { host, name };
  throw new CommandError("Cannot set up the database: its address names no host or replica set", {
    exitCode: EXIT.refused,
  });
}

/** Before there are users, whoever has the key of the set may log in. */
function keyHoldersUrl(url: string, key: string): string {
  return url.replace(/\/\/[^@]+@/, `//__system:${encodeURIComponent(key)}@`)
    .replace("authSource=admin", "authSource=local");
}
