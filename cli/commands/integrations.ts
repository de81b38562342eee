import {
  type Integration,
  isOauthLogin,
  MAX_FALLBACKS,
  oauthLoginViewOf,
} from "@posthaste/contracts";
import type {
  IntegrationResult,
  IntegrationSettings,
  IntegrationState,
  SealAuth,
  Store,
} from "@posthaste/storage";
import { Command, Option } from "commander";
import { askPassword } from "../ask_password.ts";
import { type CommandContext, findAccountFor, openStoreFor } from "../command_context.ts";
import { notFoundError, usageError } from "../command_error.ts";
import type { Output } from "../output.ts";
import { readCertificates } from "../read_certificates.ts";
import { readDuration, readInteger } from "../read_option.ts";
import { saySpan, sayTime } from "../say.ts";
import type { Cell } from "../table.ts";
import { readSealingKeyFor } from "./keys.ts";

interface IntegrationOptions {
  account?: string;
  name?: string;
  host?: string;
  port?: string;
  tls?: Integration["tls"];
  user?: string;
  authMethod?: "PLAIN" | "LOGIN";
  sender?: string[];
  maxConnections?: string;
  maxPerMinute?: string;
  retryFor?: string;
  whenUnknown?: Integration["whenUnknown"];
  /** Ids; false removes them. */
  fallback?: string[] | false;
  /** Path of a file; false removes the value. */
  ca?: string | false;
  allowInvalidCertificate?: boolean;
  passwordStdin?: true;
  newPassword?: true;
  login?: boolean;
}

const HOUR_MS = 3_600_000;
/** Only whether any mail waits is needed, not how many. */
const MAX_WAITING = 1;
const RETRY_RANGE = { min: HOUR_MS, max: 5 * 24 * HOUR_MS };

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

function addOptions(
  command: Command,
  needed: (flags: string, description: string) => Option,
): Command {
  const collect = (value: string, all: string[] = []) => [...all, value];
  return command
    .option("--account <name|id>", "account that owns it")
    .addOption(needed("--name <name>", "its name"))
    .addOption(needed("--host <host>", "name of the SMTP server"))
    .addOption(needed("--port <port>", "its port, usually 587, 465 or 25"))
    .addOption(
      needed("--tls <mode>", "encryption mode").choices(["none", "starttls", "implicit"]),
    )
    .option("--user <user>", "user to log in as; omit it for a server without authentication")
    .addOption(
      needed("--sender <address>", "address allowed in from.email; repeatable")
        .argParser(collect),
    )
    .option("--max-connections <count>", "concurrent connections (default: 5)")
    .option("--max-per-minute <count>", "messages per minute, 0 for no limit (default: 0)")
    .option(
      "--retry-for <duration>",
      "how long temporary failures are retried, 1h to 5d (default: 48h)",
    )
    .addOption(
      new Option(
        "--when-unknown <policy>",
        "the outcome of a message is unknown (default: retry)",
      )
        .choices(["retry", "hold"]),
    )
    .addOption(
      new Option("--auth-method <method>", "SMTP authentication method (default: automatic)")
        .choices(["PLAIN", "LOGIN"]),
    )
    .addOption(
      new Option(
        "--fallback <id>",
        "integration that sends its mail while it cannot; repeatable, at most 3, in order",
      )
        .argParser((id: string, before: string[] | false = []) => [...before || [], id]),
    )
    .option("--ca <file.pem>", "trust only these certificate authorities")
    .option(
      "--allow-invalid-certificate",
      "DANGEROUS: accept any certificate; an attacker on the network path can read mail and password",
    )
    .option("--password-stdin", "read the password from the standard input");
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
  output.result(show(created), () => `Created integration ${created.id}, ${describe(created)}`);
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
    show(updated),
    () =>
      updated.revision === current.revision
        ? `Integration ${updated.id} is unchanged, ${describe(updated)}`
        : `Changed integration ${updated.id}, ${describe(updated)}`,
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
  await store.integrations.resume(account._id, id);
  output.result(
    { id, resumed: suspended !== null },
    () =>
      suspended === null
        ? `Integration ${id}, "${name}", was not suspended`
        : `Integration ${id}, "${name}", sends again; it was suspended: ${suspended.reason}`,
  );
}

async function findIntegration(store: Store, accountId: string, which: string) {
  const found = /^[1-9]\d{0,8}$/.test(which)
    ? await store.integrations.find(accountId, Number(which))
    : (await store.integrations.list(accountId)).find(({ name }) => name === which);
  if (found && !found.archivedAt) return found;
  throw notFoundError(
    `Cannot find integration "${which}": the account has none with this id or name`,
    '"posthaste integrations list" shows them',
  );
}

async function readSettings(
  options: IntegrationOptions,
): Promise<Partial<Omit<IntegrationSettings, "auth">>> {
  const { name, host, port, tls, sender, maxConnections, retryFor, whenUnknown } = options;
  const { maxPerMinute, ca, allowInvalidCertificate } = options;
  const perMinute = maxPerMinute &&
    readInteger("--max-per-minute", maxPerMinute, { min: 0, max: 1_000_000 });
  const given = {
    name,
    host,
    port: port && readInteger("--port", port, { min: 1, max: 65_535 }),
    tls,
    ca: ca === false ? null : ca && await readCertificates(ca),
    allowInvalidCertificate,
    senders: sender,
    maxConnections: maxConnections &&
      readInteger("--max-connections", maxConnections, { min: 1, max: 100 }),
    maxPerMinute: perMinute === 0 ? null : perMinute,
    retryForMs: retryFor && await readDuration("--retry-for", retryFor, RETRY_RANGE),
    whenUnknown,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Reads the fallbacks of an integration; `id` is its own, if it exists. */
async function readFallbacks(
  { fallback }: IntegrationOptions,
  { store, accountId, id: own }: { store: Store; accountId: string; id?: number },
): Promise<{ fallbacks?: number[] }> {
  if (fallback === undefined) return {};
  const found: number[] = [];
  for (const which of fallback || []) {
    found.push((await findIntegration(store, accountId, which)).id);
  }
  if (found.length > MAX_FALLBACKS) {
    throw usageError(`Too many values of --fallback: at most ${MAX_FALLBACKS}`);
  }
  if (new Set(found).size < found.length || found.some((id) => id === own)) {
    throw usageError("--fallback must name other integrations, each once");
  }
  return { fallbacks: found };
}

async function changeAuth(
  context: CommandContext,
  { current, settings }: { current: Integration; settings: Partial<IntegrationSettings> },
  options: IntegrationOptions,
): Promise<SealAuth | null | undefined> {
  const { login, user, newPassword, passwordStdin, authMethod } = options;
  const asksPassword = user !== undefined || newPassword || passwordStdin;
  if (login === false) {
    if (asksPassword || authMethod) {
      throw usageError("Cannot combine --no-login with a login: drop --no-login");
    }
    return null;
  }
  const { accountId, host, port } = { ...current, ...settings };
  if (!asksPassword && current.auth !== null && (host !== current.host || port !== current.port)) {
    throw usageError(
      `Cannot change the server: the password is sealed for "${current.host}:${current.port}"`,
      "add --new-password or --password-stdin, or --no-login",
    );
  }
  if (!asksPassword && authMethod === undefined) return undefined;
  if (current.auth === null && user === undefined) {
    throw usageError("Cannot log in without a user: --user is missing");
  }
  if (asksPassword) {
    return await sealAuth(context, { accountId, host, port }, {
      ...options,
      user: user ?? current.auth?.user ?? "",
    });
  }
  return (_recordId, auth) => {
    if (auth === null) throw usageError("Cannot log in without a user: --user is missing");
    if (isOauthLogin(auth)) {
      throw usageError("Cannot choose --auth-method: the integration logs in by access tokens");
    }
    return { ...auth, method: authMethod ?? auth.method };
  };
}

async function sealAuth(
  context: CommandContext,
  { accountId, host, port }: Pick<Integration, "accountId" | "host" | "port">,
  { user = "", authMethod }: IntegrationOptions,
): Promise<SealAuth> {
  const { stdin, stderr } = context;
  const { bindPassword, sealSecret } = await import("@posthaste/storage");
  // Before the question, so that no password is typed in vain.
  const key = await readSealingKeyFor(context);
  const password = await askPassword({ stdin, stderr, question: `Password of "${user}"` });
  return (recordId, current) => ({
    user,
    method: authMethod ?? (current?.kind === "password" ? current.method : null),
    password: sealSecret(password, {
      ...bindPassword({ accountId, recordId, host, port }),
      key,
    }),
  });
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

async function listIntegrations(
  context: CommandContext,
  { account: wanted }: IntegrationOptions,
): Promise<void> {
  const { output } = context;
  await using store = await openStoreFor(context);
  const account = await findAccountFor(context, store, wanted);
  const integrations = await store.integrations.list(account._id);
  const health = await healthOf(store, integrations);
  output.result(
    integrations.map((each) => ({ ...show(each), health: health.get(each.id) })),
    () =>
      integrations.length === 0
        ? 'There is no integration yet. Run "posthaste integrations create"'
        : output.table(
          [
            "ID",
            "NAME",
            "SERVER",
            "TLS",
            "USER",
            "CONNECTIONS",
            "PER MINUTE",
            "RETRY FOR",
            "UNKNOWN",
            "STATE",
            "LAST SENT",
            "24 H",
            "LAST FAILURE",
            "SENDERS",
          ],
          integrations.map((each) => [
            String(each.id),
            each.name,
            `${each.host}:${each.port}`,
            sayTls(output, each),
            each.auth?.user ?? "",
            String(each.maxConnections),
            each.maxPerMinute === null ? "" : String(each.maxPerMinute),
            saySpan(each.retryForMs),
            each.whenUnknown,
            ...sayHealth(health.get(each.id)),
            each.senders.join(", "),
          ]),
        ),
  );
}

/** The state of an integration, and the results of its mail. */
interface Health extends Omit<IntegrationResult, "failingSince"> {
  state: IntegrationState;
  reason: string | null;
}

async function healthOf(
  store: Store,
  integrations: readonly Integration[],
): Promise<Map<number, Health>> {
  const [first] = integrations;
  if (first === undefined) return new Map();
  const { integrationStateOf } = await import("@posthaste/storage");
  const results = await store.integrations.listResults(first.accountId, new Date());
  return new Map(
    await Promise.all(integrations.map(async (integration) => {
      const { accountId, id } = integration;
      const [circuit, waiting] = await Promise.all([
        store.integrations.findCircuit(accountId, id),
        store.integrations.countWaiting(accountId, id, MAX_WAITING),
      ]);
      const result = results.get(id);
      const { lastSent = null, lastFailed = null, attempts = 0, sent = 0 } = result ?? {};
      const state = integrationStateOf({ integration, circuit, result, waiting });
      return [id, { ...state, lastSent, lastFailed, attempts, sent }] as const;
    })),
  );
}

function sayHealth(health: Health | undefined): string[] {
  if (health === undefined) return ["", "", "", ""];
  const { state, lastSent, lastFailed, attempts, sent } = health;
  const word = state === "unreachable" ? "unreachable" : state === "slow" ? "delayed" : state;
  return [
    word,
    lastSent === null ? "never" : sayTime(lastSent.at),
    attempts === 0 ? "" : `${sent} of ${attempts}`,
    lastFailed === null ? "" : `${sayTime(lastFailed.at)}: ${lastFailed.reason}`,
  ];
}

function sayTls(output: Output, { tls, ca, allowInvalidCertificate }: Integration): Cell {
  if (!allowInvalidCertificate) return { text: ca === null ? tls : `${tls}, own CA` };
  return { text: `${tls}, ANY CERTIFICATE`, style: output.styler(["red", "bold"]) };
}

function describe({ name, host, port, tls, auth, ...rest }: Integration): string {
  const encryption = tls === "none" ? "no encryption" : tls === "implicit" ? "TLS" : "STARTTLS";
  const login = auth === null
    ? "no login"
    : `as "${auth.user}"${isOauthLogin(auth) ? " by access tokens" : ""}`;
  const certificate = rest.allowInvalidCertificate
    ? ", ANY CERTIFICATE"
    : rest.ca === null
    ? ""
    : ", own CA";
  return `"${name}": ${host}:${port}, ${encryption}${certificate}, ${login}`;
}

/** Returns the visible fields of an integration: never the password or the key, not even sealed. */
function show({ _id, auth, dkim, ...rest }: Integration) {
  const { privateKey: _, ...signing } = dkim ?? {};
  return {
    ...rest,
    auth: auth === null
      ? null
      : auth.kind === "password"
      ? { user: auth.user, method: auth.method }
      : { user: auth.user, ...oauthLoginViewOf(auth) },
    dkim: dkim === null ? null : signing,
  };
}
