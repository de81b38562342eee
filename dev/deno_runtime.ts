import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { denoFlags } from "./deno_flags.ts";
import type { OwnPart } from "./deno_permissions.ts";

/** The runtime of the services: Node with its permission model, or Deno with its own. */
export type Runtime = "node" | "deno";

/** Returns the runtime in `POSTHASTE_RUNTIME`, otherwise that of this process. */
export function runtimeOf(env: Readonly<Record<string, string | undefined>>): Runtime {
  const asked = env["POSTHASTE_RUNTIME"];
  if (asked === "node" || asked === "deno") return asked;
  return process.versions["deno"] === undefined ? "node" : "deno";
}

/** Services on Deno. */
export interface DenoRuntime {
  /** Variables of a service's environment beside those on Node. */
  envOf(name: OwnPart): Promise<Record<string, string>>;
  /** The program and its arguments, for the whole environment of a service. */
  commandOf(
    name: OwnPart,
    env: Readonly<Record<string, string | undefined>>,
  ): Promise<readonly [string, ...string[]]>;
}

/** Folders for services on Deno. */
export interface DenoRuntimeOptions {
  env: Readonly<Record<string, string | undefined>>;
  /** Folder of the repository. */
  root: string;
  /** Folder of the unpacked Chromium, which the service that starts it must not change. */
  cacheDir: string;
  /** Folder of the printer's temporary files. */
  temporaryDir: string;
}

/** Prepares the start of services on Deno. Chromium is searched for once, on first use. */
export function openDenoRuntime(options: DenoRuntimeOptions): DenoRuntime {
  const { root, cacheDir, temporaryDir } = options;
  let chromium: Promise<string> | undefined;
  return {
    async envOf(name) {
      if (name !== "pdf") return {};
      chromium ??= findChromium(options);
      const CACHE_DIR = join(cacheDir, "deno");
      for (const folder of [CACHE_DIR, temporaryDir]) await mkdir(folder, { recursive: true });
      return { CACHE_DIR, TMPDIR: temporaryDir, CHROMIUM_PATH: await chromium };
    },
    async commandOf(name, env) {
      return [denoProgram(root), ...await denoFlags(name, { env, root })];
    },
  };
}

/** Returns the path of Deno: this process's, otherwise the one from npm. */
export function denoProgram(root: string): string {
  return process.versions["deno"] === undefined
    ? join(root, "node_modules/deno/deno")
    : process.execPath;
}

async function findChromium({ env, root, cacheDir }: DenoRuntimeOptions): Promise<string> {
  const program = join(root, "services/pdf/which_chromium.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [program], {
    env: { ...env, CACHE_DIR: cacheDir },
  });
  return stdout.trim();
}
