import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { chromiumCacheDir, userCacheDir } from "@posthaste/embedded";
import { fileVariableOf, permissionsFor, PERMITTED_SERVICES } from "@posthaste/runtime";
import { readMasterKeys, sealingKeyOf, writeSealingKey } from "@posthaste/storage";
import { openDenoRuntime, runtimeOf } from "./deno_runtime.ts";
import type { Keys } from "./kept_keys.ts";
import { compiledDirOf, garbageFlags, nodeFlags, writableFolders } from "./node_flags.ts";
import type { ServiceName } from "./part_name.ts";
import type { Addresses } from "./server_addresses.ts";
import type { StackOptions } from "./stack_options.ts";

type Env = StackOptions["env"];

/** How each service is started. */
export interface ServiceLaunch {
  envOf(name: ServiceName | "inbox"): Promise<Env>;
  /** What it is started with, for its whole environment; what it may write is there then. */
  commandOf(name: ServiceName | "inbox", env: Env): Promise<readonly [string, ...string[]]>;
}

/** What services get at their start. */
export interface LaunchOptions {
  root: string;
  addresses: Addresses;
  keys: Keys;
  /** Base of the interface; ends with `/v1`. */
  apiUrl: string;
  dashboardUrl: string;
  /** Settles when the dashboard is built. */
  built: Promise<void>;
}

/** Decides the environment and the command of each service. */
export function serviceLaunch(options: StackOptions, launch: LaunchOptions): ServiceLaunch {
  const { env, dataDir, profileDir } = options;
  const { root, addresses, built } = launch;
  const common = commonEnvironment(env, launch);
  const compiledDir = env["NODE_COMPILE_CACHE"] || join(userCacheDir(env), "compiled");
  const deno = (options.runtime ?? runtimeOf(env)) === "node" ? undefined : openDenoRuntime({
    env: common,
    root,
    cacheDir: common.CACHE_DIR,
    temporaryDir: join(dataDir, "pdf"),
  });
  const made = madeSecrets(launch.keys);
  const flagOptions = {
    env: common,
    root,
    cacheDir: common.CACHE_DIR,
    compiledDir,
    inboxDir: join(dataDir, "inbox"),
  };

  async function flagsOf(name: ServiceName | "inbox"): Promise<readonly string[]> {
    // The build is read then.
    if (name === "dashboard") await built;
    const folders = writableFolders(name, flagOptions);
    await Promise.all(folders.map((folder) => mkdir(folder, { recursive: true })));
    if (profileDir === undefined) return nodeFlags(name, flagOptions);
    return [...garbageFlags(name), "--cpu-prof", `--cpu-prof-dir=${profileDir}`];
  }

  return {
    envOf: async (name) => ({
      ...common,
      ...await deno?.envOf(name),
      // Saves a third of the CPU that the start of the services takes.
      NODE_COMPILE_CACHE: compiledDirOf(name, { compiledDir }),
      ...(name === "inbox"
        ? {}
        : secretsOf(name, { env, made: { ...addresses.services[name], ...made } })),
      ...ownSettings(name, env, launch),
    }),
    async commandOf(name, settings) {
      const flags = await flagsOf(name);
      return await deno?.commandOf(name, settings) ?? [process.execPath, ...flags] as const;
    },
  };
}

/** Settings of all services, without secrets. */
function commonEnvironment(env: Env, { apiUrl }: LaunchOptions) {
  return {
    ...env,
    // The inbox, and servers of tests, are on this machine.
    EGRESS_ALLOW: ["127.0.0.0/8", "::1", env["EGRESS_ALLOW"] ?? ""].join(),
    // Each service gets only its own.
    ...withoutSecrets(),
    PORT: portOf(apiUrl),
    HOST: "127.0.0.1",
    // Outside of the data: unpacking Chromium takes seconds, and its result never differs.
    CACHE_DIR: chromiumCacheDir(env),
  };
}

/** A URL leaves out the usual port of its scheme. */
function portOf(url: string): string {
  return new URL(url).port || "80";
}

function madeSecrets({ masterKey, webhookKey, secondFactorKey }: Keys): Record<string, string> {
  return {
    MASTER_KEY: masterKey,
    SEALING_KEY: writeSealingKey(sealingKeyOf(readMasterKeys(masterKey))),
    WEBHOOK_KEY: webhookKey,
    WEBHOOK_SEALING_KEY: writeSealingKey(sealingKeyOf(readMasterKeys(webhookKey))),
    SECOND_FACTOR_KEY: secondFactorKey,
  };
}

/** Settings of one service. */
function ownSettings(
  name: ServiceName | "inbox",
  env: Env,
  { apiUrl, dashboardUrl }: LaunchOptions,
): Env {
  if (name === "api") return { MANAGE_URL: `${dashboardUrl}/manage/v1` };
  // As in their images: half of the threads look up the names that customers give.
  if (name === "mailer" || name === "renderer" || name === "webhooks") {
    return { UV_THREADPOOL_SIZE: env["UV_THREADPOOL_SIZE"] ?? "32" };
  }
  if (name !== "dashboard") return {};
  return {
    // That it is set both ways is a fault, which the dashboard reports.
    SECOND_FACTOR_KEY_FILE: env["SECOND_FACTOR_KEY_FILE"],
    PORT: portOf(dashboardUrl),
    PUBLIC_URL: dashboardUrl,
    API_URL: apiUrl,
    TRY_API_URL: apiUrl,
  };
}

/** Removes every secret from an environment that services share, as a value and as a file. */
function withoutSecrets(): Record<string, undefined> {
  const names = PERMITTED_SERVICES.flatMap((name) => permissionsFor(name).secrets ?? []);
  return Object.fromEntries(
    names.flatMap((name) => [[name, undefined], [fileVariableOf(name), undefined]]),
  );
}

/** Returns the secrets that a service may have: those made here, and the given ones. */
function secretsOf(
  name: ServiceName,
  { env, made }: { env: StackOptions["env"]; made: Readonly<Record<string, string>> },
): StackOptions["env"] {
  const { secrets = [] } = permissionsFor(name);
  return Object.fromEntries(secrets.flatMap((variable) => {
    if (variable in made) return [[variable, made[variable]]];
    return [variable, fileVariableOf(variable)].map((each) => [each, env[each]]);
  }));
}
