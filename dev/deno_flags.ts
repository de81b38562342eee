import { getServers } from "node:dns";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeConfig, DESTINATIONS, SERVICE_CONFIG } from "@posthaste/runtime";
import { denoPermissionsOf, type OwnPart } from "./deno_permissions.ts";

/** The input of a service's flags. */
export interface DenoFlagsOptions {
  /** Its settings, as it will read them. */
  env: Readonly<Record<string, string | undefined>>;
  /** Folder of the repository. */
  root: string;
}

type Settings = DenoFlagsOptions["env"];

/** The default address of a service; see docs/settings.md. */
const EVERYWHERE = "0.0.0.0";
const PORTS = {
  SMTP_PORTS: DESTINATIONS.smtpServers.ports.join(),
  WEBHOOK_PORTS: DESTINATIONS.webhookEndpoints.ports.join(),
};

/**
 * Returns Deno's arguments for a service, up to its program. All its permissions follow from {@linkcode
 * denoPermissionsOf} and its settings. Everything else is refused without a prompt; a forbidden variable
 * reads as not set.
 */
export async function denoFlags(name: OwnPart, options: DenoFlagsOptions): Promise<string[]> {
  const { env, root } = options;
  const { net, read, hidden, write, run, sys } = denoPermissionsOf(name);
  const folders = write.flatMap((setting) => folderOf(setting, env));
  const programs = run.flatMap((program) => programOf(program, options));
  const variables = await variablesOf(name);
  const secrets = variables.filter((variable) => variable.endsWith("_FILE"));
  const files = [
    ...read.map((path) => join(root, path)),
    ...folders,
    ...programs,
    ...secrets.flatMap((variable) => env[variable] || []),
  ];
  return [
    "run",
    "--no-prompt",
    "--no-remote",
    "--deny-import",
    "--quiet",
    ...flagOf("--allow-net", net.flatMap((setting) => hostsOf(setting, env))),
    ...flagOf("--allow-read", files),
    ...flagOf("--ignore-read", hidden),
    ...flagOf("--allow-write", folders),
    ...flagOf("--allow-run", programs),
    ...flagOf("--allow-sys", sys),
    ...flagOf("--allow-env", variables),
    "--ignore-env",
  ];
}

/** A flag without a list would permit everything. A comma in a path is written twice. */
function flagOf(flag: string, values: readonly string[]): string[] {
  const list = [...new Set(values)].map((value) => value.replaceAll(",", ",,")).join();
  return list === "" ? [] : [`${flag}=${list}`];
}

async function variablesOf(name: OwnPart): Promise<string[]> {
  const own = name === "inbox" ? ["DATA_DIR", "SMTP_PORT", "WEB_PORT"] : await settingsOf(name);
  return [...own, ...namesOf(SERVICE_CONFIG), "OTEL_*", ...denoPermissionsOf(name).env];
}

async function settingsOf(name: Exclude<OwnPart, "inbox">): Promise<string[]> {
  const { CONFIG } = await import(`../services/${name}/config.ts`);
  return namesOf(CONFIG);
}

/** Returns the variables of a schema; a secret may come as a file. */
function namesOf(config: Parameters<typeof describeConfig>[0]): string[] {
  return describeConfig(config).flatMap(({ name, secret }) => {
    return secret ? [name, `${name}_FILE`] : [name];
  });
}

function folderOf(setting: string, env: Settings): string[] {
  const folder = env[setting] || (setting === "TMPDIR" ? tmpdir() : undefined);
  return folder ? [folder] : [];
}

function programOf(program: string, { env, root }: DenoFlagsOptions): string[] {
  if (program.includes("/")) return [join(root, program)];
  return env[program] ? [env[program]] : [];
}

function hostsOf(setting: string, env: Settings): string[] {
  if (/^\d/.test(setting)) return [setting];
  const value = env[setting];
  switch (setting) {
    case "PORT":
    case "SMTP_PORT":
    case "WEB_PORT":
      return value ? [`${env["HOST"] || EVERYWHERE}:${value}`] : [];
    case "HEALTH_PORT":
      return value ? [`${env["HEALTH_HOST"] || EVERYWHERE}:${value}`] : [];
    case "SMTP_PORTS":
    case "WEBHOOK_PORTS":
      return [...(value || PORTS[setting]).split(",").map(anyAt), ...nameServers()];
    case "OAUTH_ENDPOINTS":
      return [...portsOf(value ?? "").map(anyAt), ...nameServers()];
    case "EGRESS_ALLOW":
      return (value ?? "").split(",").flatMap((network) => networkOf(network.trim()));
    case "REMOTE_IMAGES":
      return value === "true"
        ? [...DESTINATIONS.imageServers.ports.map((port) => anyAt(`${port}`)), ...nameServers()]
        : [];
    default:
      return value ? addressesOf(value) : [];
  }
}

/** Returns every IPv4 address with this port: Deno 2.9 has no such form for IPv6. */
function anyAt(port: string): string {
  return `0.0.0.0/0:${port.trim()}`;
}

/** Returns the port of the providers, and those of the endpoints in their place. */
function portsOf(endpoints: string): string[] {
  const [own] = DESTINATIONS.oauthProviders.ports;
  const others = endpoints.split(",").flatMap((endpoint) =>
    URL.parse(endpoint.slice(endpoint.indexOf("=") + 1))?.port || []
  );
  return [`${own}`, ...others];
}

/** Returns the name servers: customers' host names cannot be permitted one by one, and these resolve them. */
function nameServers(): string[] {
  return getServers().map((server) => isV6(server) ? `[${server}]:53` : `${server}:53`);
}

function networkOf(network: string): string[] {
  if (network === "") return [];
  if (!isV6(network)) return [network];
  return network.includes("/") ? [] : [`[${network}]`];
}

function isV6(address: string): boolean {
  return address.split(":").length > 2;
}

const PORT_OF: Readonly<Record<string, number>> = {
  "nats:": 4222,
  "tls:": 4222,
  "ws:": 80,
  "wss:": 443,
  "mongodb:": 27_017,
  "mongodb+srv:": 27_017,
  "http:": 80,
  "https:": 443,
};

/** Returns the hosts of a URL, of which there may be several: `mongodb://user:password@a:1,b:2/name`. */
function addressesOf(url: string): string[] {
  const [, scheme = "", hosts = ""] = /^(\w[\w+]*:)\/\/(?:[^@/]*@)?([^/?]*)/.exec(url) ?? [];
  return hosts.split(",").filter((host) => host !== "").map((host) => {
    return /:\d+$/.test(host) ? host : `${host}:${PORT_OF[scheme] ?? 443}`;
  });
}
