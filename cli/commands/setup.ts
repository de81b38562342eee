import { Command } from "commander";
import { type CommandContext, reasonOf, resolvePath } from "../command_context.ts";
import { CommandError } from "../command_error.ts";
import { EXIT } from "../exit_code.ts";
import { formatCount } from "../format.ts";

interface SecretsOptions {
  mongodb: string;
  replicaSet: string;
  nats: string;
}

/** `posthaste setup …` */
export function setupCommand(context: CommandContext): Command {
  const command = new Command("setup")
    .description("Prepare your own database and broker before the first migration.")
    .addHelpText(
      "after",
      `
Examples:
  posthaste setup secrets ./secrets
  posthaste setup database ./secrets
`,
    );
  command.command("secrets <folder>")
    .description("Generate missing passwords and keys into a folder, one file each.")
    .option("--mongodb <host:port>", "database address, as services reach it", "mongo:27017")
    .option("--replica-set <name>", "its replica set", "rs0")
    .option("--nats <host:port>", "broker address, as services reach it", "nats:4222")
    .addHelpText(
      "after",
      `
Existing files stay. The broker's accounts file is rewritten each time, from the other
files and the rights that each service has in this version.

Example:
  posthaste setup secrets ./secrets
`,
    )
    .action((folder: string, options: SecretsOptions) => setupSecrets(context, folder, options));
  command.command("database <folder>")
    .description("Create the replica set of a new database, and its users from the folder.")
    .addHelpText(
      "after",
      `
It can be repeated. Run it before you start a new version.

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
  output.result({ files }, () => `${formatCount(files.length, "file")} written to "${folder}"`);
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
      () => `The replica set "${name}" and its users ${isNew ? "were created" : "exist"}`,
    );
  } catch (cause) {
    throw new CommandError(`Cannot set up the database: ${reasonOf(cause)}`, {
      exitCode: EXIT.failed,
      remedy: "check that mongod runs with --replSet and the key of this folder",
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

/** Before there are users, the key of the replica set is a valid login. */
function keyHoldersUrl(url: string, key: string): string {
  return url.replace(/\/\/[^@]+@/, `//__system:${encodeURIComponent(key)}@`)
    .replace("authSource=admin", "authSource=local");
}
