import { maskText } from "@posthaste/telemetry";
import type { z } from "zod";
import { describeConfig, type SettingDescription } from "./describe_config.ts";
import { fileVariableOf, readSecretFile } from "./secret_file.ts";

/** Variables of an environment. */
export type Env = Record<string, string | undefined>;

/** One fault of the settings. */
export interface ConfigFault {
  /** Name of the environment variable, or `` for a rule between several. */
  setting: string;
  /** The fault and the expected form: `is "80a": expected a port from 0 to 65535`. */
  problem: string;
}

/** The settings are wrong. Names every fault, and never the value of a secret. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  /** All faults, in the order of the schema. */
  readonly faults: readonly ConfigFault[];

  constructor(faults: readonly ConfigFault[]) {
    const lines = faults.map(({ setting, problem }) => `${setting} ${problem}`.trim());
    super(`Cannot read the settings: ${lines.join("; ")}`);
    this.faults = faults;
  }
}

/** Settings of earlier versions, with their present names. */
const RENAMED: Record<string, string> = {
  CAGE_WORKERS: "SANDBOX_WORKERS",
  SWEEP_INTERVAL: "RECONCILE_INTERVAL",
  SWEEP_GRACE: "RECONCILE_GRACE",
};

/**
 * Reads settings from environment variables. An empty variable counts as not set. Variables that the schema
 * does not name are ignored, except the old name of a setting, which is refused. The value of a secret `NAME`
 * may be in a file that `NAME_FILE` names.
 *
 * @throws {ConfigError} naming all faults together.
 */
export function readConfig<Schema extends z.ZodObject>(schema: Schema, env: Env): z.infer<Schema> {
  const { input, faults: unread } = readInput(schema, env);
  const result = schema.safeParse(input);
  if (result.success && unread.length === 0) return result.data;
  const settings = new Map(describeConfig(schema).map((item) => [item.name, item]));
  const faults = (result.error?.issues ?? []).map((issue): ConfigFault => {
    const setting = String(issue.path[0] ?? "");
    const { message } = issue;
    return { setting, problem: describeProblem(settings.get(setting), input[setting], message) };
  }).filter(({ setting }) => !unread.some((fault) => fault.of === setting));
  throw new ConfigError(uniqueFaults([...unread, ...faults]));
}

/** Returns the values of the secret settings of an environment, valid or not. */
export function secretsOf(schema: z.ZodObject, env: Env): string[] {
  const { input } = readInput(schema, env);
  return describeConfig(schema).flatMap(({ name, secret }) => secret ? input[name] ?? [] : []);
}

type Unread = ConfigFault & { of: string };

function readInput(schema: z.ZodObject, env: Env): { input: Env; faults: Unread[] } {
  const input: Env = {};
  const faults: Unread[] = [];
  const read = (name: string) => env[name]?.trim() === "" ? undefined : env[name];
  const settings = describeConfig(schema);
  for (const [old, name] of Object.entries(RENAMED)) {
    if (read(old) === undefined || !settings.some((setting) => setting.name === name)) continue;
    faults.push({ of: name, setting: old, problem: `is now named ${name}: set that instead` });
  }
  for (const { name, secret } of settings) {
    const value = read(name);
    const variable = fileVariableOf(name);
    const file = secret ? read(variable)?.trim() : undefined;
    if (value !== undefined) input[name] = value;
    if (file === undefined) continue;
    if (value !== undefined) {
      faults.push({ of: name, setting: variable, problem: `and ${name} are both set: unset one` });
      continue;
    }
    try {
      const text = readSecretFile(file);
      if (text !== "") input[name] = text;
      else faults.push({ of: name, setting: variable, problem: `is "${file}": the file is empty` });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      faults.push({ of: name, setting: variable, problem: `is "${shorten(file)}": ${reason}` });
    }
  }
  return { input, faults };
}

function describeProblem(
  setting: SettingDescription | undefined,
  value: string | undefined,
  message: string,
): string {
  if (setting === undefined) return message;
  if (value === undefined && setting.required) {
    const purpose = setting.description === "" ? "" : ` (${setting.description})`;
    return `is missing: expected ${setting.expected}${purpose}`;
  }
  if (value === undefined) return `is not set: ${message}`;
  const shown = setting.secret ? "has a wrong value (not shown)" : `is "${shorten(value)}"`;
  return `${shown}: ${message}`;
}

function shorten(value: string): string {
  const masked = maskText(value);
  return masked.length <= 80 ? masked : `${masked.slice(0, 80)}…`;
}

function uniqueFaults(faults: ConfigFault[]): ConfigFault[] {
  const seen = new Set<string>();
  return faults.map(({ setting, problem }) => ({ setting, problem }))
    .filter(({ setting, problem }) => {
      const key = `${setting} ${problem}`;
      return !seen.has(key) && seen.add(key);
    });
}
