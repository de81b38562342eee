import type { Integration } from "@posthaste/contracts";
import type { IntegrationSettings } from "@posthaste/storage";
import { Command, Option } from "commander";
import { type CommandContext, findAccountFor, openStoreFor } from "../command_context.ts";
import { usageError } from "../command_error.ts";
import { changeAuth, sealAuth } from "../integration_login.ts";
import {
  addOptions,
  findIntegration,
  type IntegrationOptions,
  readFallbacks,
  readSettings,
} from "../integration_options.ts";
import { describeIntegration, integrationViewOf } from "../integration_view.ts";
import { listIntegrations } from "../list_integrations.ts";
import { printableLine } from "../printable.ts";

/** `posthaste integrations …` */
export function integrationsCommand(context: CommandContext): Command {
  const command = new Command("integrations")
    .description("Create, change and list SMTP integrations: the servers that send your mail.")
    .addHelpText(
      "after",
      `
A password is read from the terminal or the standard input; it is never an
argument. It is sealed to SEALING_KEY or, if that is not set, to the first key of MASTER_KEY.

Examples:
  posthaste integrations create --account shop --name main --host smtp.example.com --port 587 \\
    --tls starttls --user mailer --sender hello@example.com
  posthaste integrations update 1 --account shop --max-connections 10
  posthaste integrations list --account shop
`,
    );
  const create = command.command("create").description("Create an integration.");
  addOptions(create, (flags, text) => new Option(flags, text).makeOptionMandatory());
  create
    .addHelpText(
      "after",
      `
Examples:
  posthaste integrations create --account shop --name main --host smtp.example.com --port 587 \\
    --tls starttls --user mailer --sender hello@example.com --sender news@example.com
  pass smtp/shop | posthaste integrations create … --user mailer --password-stdin
`,
    )
    .action((options: IntegrationOptions) => createIntegration(context, options));
  const update = command.command("update <id>").description(
    "Change the given values; keep the others.",
  );
  addOptions(update, (flags, text) => new Option(flags, text))
    .option("--new-password", "ask for a new password")
    .option("--no-login", "use the server without a user and password")
    .option("--no-fallback", "let its mail wait while it cannot send")
    .option("--no-ca", "trust the public certificate authorities again")
    .option("--no-allow-invalid-certificate", "check the server's certificate again")
    .addHelpText(
      "after",
      `
--sender replaces the whole list; --user asks for the password of the new user.

Examples:
  posthaste integrations update 1 --account shop --host smtp2.example.com
  posthaste integrations update 1 --account shop --new-password
`,
    )
    .action((id: string, options: IntegrationOptions) => updateIntegration(context, id, options));
  command.command("resume <id>")
    .description("Send again through an integration that was suspended.")
    .option("--account <name|id>", "account that owns it")
    .addHelpText("after", "\nExample:\n  posthaste integrations resume 1 --account shop\n")
    .action((id: string, options: IntegrationOptions) => resumeIntegration(context, id, options));
  command.command("list")
    .description("List the integrations of an account.")
    .option("--account <name|id>", "the account")
    .addHelpText("after", "\nExample:\n  posthaste integrations list --account shop\n")
    .action((options: IntegrationOptions) => listIntegrations(context, options));
  return command;
}

async function createIntegration(
  context: CommandContext,
  options: IntegrationOptions,
): Promise<void> {
  const { output } = context;
  const settings = await readSettings(options);
  if (options.user === undefined && (options.passwordStdin || options.authMethod)) {
    throw usageError("Cannot log in without a user: --user is missing");
  }
  await using store = await openStoreFor(context);
  const account = await findAccountFor(context, store, options.account);
  // Commander has checked the required options.
  const complete = settings as Omit<IntegrationSettings, "auth">;
  const accountId = account._id;
  const auth = options.user === undefined
    ? null
    : await sealAuth(context, { ...complete, accountId }, options);
  const fallbacks = await readFallbacks(options, { store, accountId });
  const created = await store.integrations.create({ ...complete, ...fallbacks, accountId, auth });
  warn(context, created);
  output.result(
    integrationViewOf(created),
    () => `Created integration ${created.id}, ${describeIntegration(created)}`,
  );
}

async function updateIntegration(
  context: CommandContext,
  which: string,
  options: IntegrationOptions,
): Promise<void> {
  const { output } = context;
  const settings = await readSettings(options);
  await using store = await openStoreFor(context);
  const account = await findAccountFor(context, store, options.account);
  const current = await findIntegration(store, account._id, which);
  const auth = await changeAuth(context, { current, settings }, options);
  const fallbacks = await readFallbacks(options, {
    ...{ store, accountId: account._id, id: current.id },
  });
  const changes = { ...settings, ...fallbacks, ...(auth === undefined ? {} : { auth }) };
  const updated = await store.integrations.update(account._id, current.id, changes) ?? current;
  warn(context, updated);
  output.result(
    integrationViewOf(updated),
    () =>
      updated.revision === current.revision
        ? `Integration ${updated.id} is unchanged, ${describeIntegration(updated)}`
        : `Changed integration ${updated.id}, ${describeIntegration(updated)}`,
  );
}

async function resumeIntegration(
  context: CommandContext,
  which: string,
  { account: wanted }: IntegrationOptions,
): Promise<void> {
  const { output } = context;
  await using store = await openStoreFor(context);
  const account = await findAccountFor(context, store, wanted);
  const { id, name, suspended } = await findIntegration(store, account._id, which);
  if (suspended !== null) await store.integrations.resume(account._id, id);
  output.result(
    { id, resumed: suspended !== null },
    () =>
      suspended === null
        ? `Integration ${id}, "${name}", is not suspended: nothing was changed`
        : `Integration ${id}, "${name}", sends again; it was suspended: ${
          printableLine(suspended.reason)
        }`,
  );
}

function warn({ output }: CommandContext, integration: Integration): void {
  const { tls, auth, host, allowInvalidCertificate } = integration;
  if (allowInvalidCertificate) {
    output.danger(
      `the certificate of "${host}" is not checked: an attacker on the network path can read mail and password`,
    );
  }
  if (tls !== "none" || auth === null) return;
  output.warn(
    `the password is sent to "${host}" without encryption: use --tls starttls or implicit`,
  );
}
