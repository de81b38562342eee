import { type Integration, MAX_FALLBACKS } from "@posthaste/contracts";
import type { IntegrationSettings, Store } from "@posthaste/storage";
import { type Command, Option } from "commander";
import { notFoundError, usageError } from "./command_error.ts";
import { readCertificates } from "./read_certificates.ts";
import { readDuration, readInteger } from "./read_option.ts";

/** Options of the commands that create and change integrations. */
export interface IntegrationOptions {
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
const RETRY_RANGE = { min: HOUR_MS, max: 5 * 24 * HOUR_MS };

/** Adds the options that creating and changing share; `needed` makes those that creating requires. */
export function addOptions(
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

/** Reads the given settings, but for the login and the fallbacks. */
export async function readSettings(
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
export async function readFallbacks(
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

/** Returns an integration of an account, by its id or name. */
export async function findIntegration(store: Store, accountId: string, which: string) {
  const found = /^[1-9]\d{0,8}$/.test(which)
    ? await store.integrations.find(accountId, Number(which))
    : (await store.integrations.list(accountId)).find(({ name }) => name === which);
  if (found && !found.archivedAt) return found;
  throw notFoundError(
    `Cannot find integration "${which}": the account has none with this id or name`,
    '"posthaste integrations list" shows them',
  );
}
