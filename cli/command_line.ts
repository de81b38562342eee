import { Command, CommanderError } from "commander";
import { CommandError, toCommandError } from "./command_error.ts";
import type { CommandContext } from "./command_context.ts";
import { dataDirOf } from "./data_dir.ts";
import { accountsCommand } from "./commands/accounts.ts";
import { auditCommand } from "./commands/audit.ts";
import { checkCommand } from "./commands/check.ts";
import { convertCommand } from "./commands/convert.ts";
import { diffCommand } from "./commands/diff.ts";
import { failuresCommand } from "./commands/failures.ts";
import { forgetCommand } from "./commands/forget.ts";
import { importCommand } from "./commands/import.ts";
import { integrationsCommand } from "./commands/integrations.ts";
import { keysCommand } from "./commands/keys.ts";
import { migrateCommand } from "./commands/migrate.ts";
import { pullCommand } from "./commands/pull.ts";
import { pushCommand } from "./commands/push.ts";
import { renderCommand } from "./commands/render.ts";
import { restoredCommand } from "./commands/restored.ts";
import { retryCommand } from "./commands/retry.ts";
import { sendCommand } from "./commands/send.ts";
import { setupCommand } from "./commands/setup.ts";
import { statusCommand } from "./commands/status.ts";
import { suppressionsCommand } from "./commands/suppressions.ts";
import { templatesCommand } from "./commands/templates.ts";
import { tokensCommand } from "./commands/tokens.ts";
import { typesCommand } from "./commands/types.ts";
import { usersCommand } from "./commands/users.ts";
import { EXIT } from "./exit_code.ts";
import { Output } from "./output.ts";
import manifest from "./package.json" with { type: "json" };
import { type Env, Settings } from "./settings.ts";
import { stackFileIn } from "./stack_file.ts";

/** The commands, in the order of the help. */
export const COMMANDS = [
  setupCommand,
  migrateCommand,
  accountsCommand,
  tokensCommand,
  usersCommand,
  integrationsCommand,
  keysCommand,
  templatesCommand,
  importCommand,
  convertCommand,
  pullCommand,
  pushCommand,
  diffCommand,
  renderCommand,
  sendCommand,
  statusCommand,
  typesCommand,
  retryCommand,
  failuresCommand,
  suppressionsCommand,
  forgetCommand,
  auditCommand,
  checkCommand,
  restoredCommand,
];

const HELP = `
Settings:
  MONGODB_URL, NATS_URL, MASTER_KEY   the servers and keys; if none is set, the
                                      demonstration that "npm start" runs
  WEBHOOK_KEY                         the keys of webhooks, for keys … --webhooks
  MONGODB_URL_FILE, …                 files that contain these values or the token
  DATA_DIR                            the demonstration's data folder, as for "npm start"
  POSTHASTE_URL, POSTHASTE_TOKEN      the HTTP interface, for render, send, status, types, failures
                                      and suppressions; management by token, for pull, push and diff
  NO_COLOR                            no colours

Exit codes:
  0 done   1 failed   2 wrong usage, or diff found a difference   3 not found
  4 rejected or not valid

Examples:
  posthaste accounts create shop
  posthaste import ./templates --account shop
  posthaste send welcome 1 --data welcome.json
  posthaste status snd_01k9… --watch
`;

/** The process around a command. */
export interface CommandWorld extends Pick<CommandContext, "stdin" | "stderr" | "cwd"> {
  env: Env;
  stdout: NodeJS.WriteStream;
  /** Folder of the repository. */
  root: string;
}

/** Runs one command and returns the exit code of the process. Nothing is thrown. */
export async function runCommandLine(argv: string[], world: CommandWorld): Promise<number> {
  const { env, stdin, stdout, stderr, root } = world;
  let code: number = EXIT.ok;
  const output = new Output({ stdout, stderr, json: argv.includes("--json") });
  const context: CommandContext = {
    output,
    settings: new Settings({
      env,
      stackFile: env["POSTHASTE_STACK_FILE"] || stackFileIn(dataDirOf(env, root)),
      note: (text) => output.note(text),
    }),
    stdin,
    stderr,
    // npm runs a script in the repository, regardless of the operator's folder.
    cwd: (env["npm_lifecycle_event"] === "posthaste" && env["INIT_CWD"]) || world.cwd,
    endWith(other) {
      code = other;
    },
  };
  try {
    await buildProgram(context, stdout).parseAsync(argv, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.ok;
      // Commander has already printed the error.
      if (output.json) output.data({ error: error.message });
      return EXIT.usage;
    }
    const known = toCommandError(error);
    output.fail(await withoutSecrets(known, context.settings.secrets));
    return known.exitCode;
  }
}

/** Errors of drivers quote their input. */
async function withoutSecrets(error: CommandError, secrets: string[]): Promise<CommandError> {
  const { hideSecrets, rememberSecrets } = await import("@posthaste/telemetry");
  rememberSecrets(secrets);
  const { message, exitCode, remedy, issues } = error;
  return new CommandError(hideSecrets(message), {
    exitCode,
    remedy,
    issues: issues.map(({ at, message }) => ({ at, message: hideSecrets(message) })),
  });
}

function buildProgram(context: CommandContext, stdout: NodeJS.WriteStream): Command {
  const { output, stderr } = context;
  const program = new Command("posthaste")
    .description("The operator's command line of Posthaste.")
    .version(manifest.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help; every command has its own help")
    .option("--json", "print only JSON on the standard output")
    .addHelpText("after", HELP)
    .showHelpAfterError('Run with "--help" for usage')
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
    })
    .exitOverride();
  for (const command of COMMANDS) program.addCommand(settle(command(context), program));
  // `outputError` has the text that commander made; only its head is coloured.
  for (const command of allOf(program)) {
    command.configureOutput({
      outputError: (text, write) => write(output.paintUsage(text)),
    });
  }
  return program;
}

/** Commands created apart from the program do not inherit its exit and output settings. */
function settle(command: Command, parent: Command): Command {
  command.copyInheritedSettings(parent);
  for (const child of command.commands) settle(child, command);
  return command;
}

function allOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allOf)];
}
