import { type Logger, openLogger, rememberSecrets, startTelemetry } from "@posthaste/telemetry";
import module from "node:module";
import type { z } from "zod";
import { armFailpoint } from "./failpoint.ts";
import { type Health, openHealth } from "./health.ts";
import { ConfigError, type Env, readConfig, secretsOf } from "./read_config.ts";
import { SERVICE_CONFIG } from "./service_config.ts";
import { watchStop } from "./_watch_stop.ts";

/** What a service runs with. */
export interface ServiceContext<Config> {
  /** The service's own settings. */
  config: Config;
  /** Aborts when the service must stop: finish work in flight, take nothing new. */
  signal: AbortSignal;
  /**
   * Aborts some seconds before the shutdown deadline: stop waiting for others, and record the outcome.
   */
  lastCall: AbortSignal;
  /** Writes JSON lines to the standard output. */
  logger: Logger;
  /** Readiness: add the checks last, after everything is open. */
  health: Health;
  /** Names work in flight until it is disposed. The log lists it when the deadline passes. */
  hold(name: string): Disposable;
}

/** Settings of {@linkcode runService}. */
export interface ServiceOptions<Schema extends z.ZodObject> {
  /** Name of the service, in logs and traces. */
  name: string;
  /** Version of the service, in traces. */
  version?: string;
  /** The environment: `process.env`, from `main.ts`. */
  env: Env;
  /** Schema of the service's own settings. */
  config: Schema;
  /** Opens what the service needs, works until the signal, and closes all; then the process ends. */
  run(context: ServiceContext<z.infer<Schema>>): Promise<void>;
}

/** Maximum time for the outcome to be recorded at the end. */
const LAST_CALL_MS = 5000;
/** Longest wait for the event loop to empty after everything was closed. */
const LINGER = 1000;

/**
 * Runs a service until SIGTERM, SIGINT or the death of its parent, and ends the process: with code 0
 * after an orderly stop, 1 after a failure, a missed deadline or the same signal given twice, and 2
 * when the settings are wrong (printed one per line on the standard error output).
 */
export async function runService<Schema extends z.ZodObject>(
  options: ServiceOptions<Schema>,
): Promise<void> {
  const { name, env, config: schema } = options;
  // A diagnostic report is a file, often among logs that many people can read.
  process.report.excludeEnv = true;
  rememberSecrets([...secretsOf(schema, env), ...collectorSecrets(env)]);
  const read = readAll(schema, env);
  if (read instanceof ConfigError) return failOnConfig(name, read);
  const { own, common } = read;
  if (common.POSTHASTE_CRASH_AT !== undefined) armFailpoint(common.POSTHASTE_CRASH_AT);
  const logger = openLogger({ service: name, level: common.LOG_LEVEL });
  const held = new Set<{ name: string }>();
  const lastCall = new AbortController();
  const exitNow = (code: number) => {
    logger.flushSync();
    process.exit(code);
  };
  catchStrays(logger, exitNow);
  const signal = watchStop({
    parentPipe: common.POSTHASTE_PARENT_PIPE,
    onStop: (reason) => {
      logger.info("Stopping", { reason });
      const deadlineMs = common.SHUTDOWN_DEADLINE;
      setTimeout(() => lastCall.abort(), deadlineMs - Math.min(LAST_CALL_MS, deadlineMs / 2))
        .unref();
      setTimeout(() => {
        logger.error(`Cannot stop "${name}" within ${common.SHUTDOWN_DEADLINE} ms`, hanging(held));
        exitNow(1);
      }, common.SHUTDOWN_DEADLINE).unref();
    },
    onRepeat: (reason) => {
      logger.error(`Cannot stop "${name}" in order: ${reason} was received twice`, hanging(held));
      exitNow(1);
    },
  });
  const inside = { own, common, logger, signal, lastCall: lastCall.signal, held };
  const code = await runInside(options, inside);
  await logger.flush();
  process.exitCode = code;
  setTimeout(() => {
    logger.warn("Stopping with open resources", hanging(held));
    exitNow(code);
  }, LINGER).unref();
}

interface Inside<Config> {
  own: Config;
  common: z.infer<typeof SERVICE_CONFIG>;
  logger: Logger;
  signal: AbortSignal;
  lastCall: AbortSignal;
  held: Set<{ name: string }>;
}

async function runInside<Schema extends z.ZodObject>(
  options: ServiceOptions<Schema>,
  { own, common, logger, signal, lastCall, held }: Inside<z.infer<Schema>>,
): Promise<number> {
  const { name, version, env } = options;
  const started = performance.now();
  try {
    await using telemetry = await startTelemetry({
      service: name,
      env,
      logger,
      prometheus: common.HEALTH_PORT !== undefined,
      ...(version === undefined ? {} : { version }),
    });
    await using health = await openHealth({
      host: common.HEALTH_HOST,
      signal,
      readMetrics: telemetry.readMetrics,
      ...(common.HEALTH_PORT === undefined ? {} : { port: common.HEALTH_PORT }),
    });
    const hold = (name: string) => {
      const entry = { name };
      held.add(entry);
      return { [Symbol.dispose]: () => void held.delete(entry) };
    };
    // By itself Node writes the compile cache as the process exits: never if it is killed. Deno has a cache of its own.
    module.flushCompileCache?.();
    logger.info("Starting", { pid: process.pid, healthPort: health.port });
    await options.run({ config: own, signal, lastCall, logger, health, hold });
  } catch (error) {
    // An interruption by the stop itself is not a failure.
    if (!signal.aborted || !isReason(error, signal)) {
      logger.error(`Cannot run "${name}"`, { error });
      return 1;
    }
  }
  logger.info("Stopped", { ranMs: Math.round(performance.now() - started) });
  return 0;
}

/** Reads the service's own settings and the common ones, so that one error names all faults. */
function readAll<Schema extends z.ZodObject>(schema: Schema, env: Env) {
  const faults = [];
  try {
    const own = attempt(() => readConfig(schema, env));
    const common = attempt(() => readConfig(SERVICE_CONFIG, env));
    if ("value" in own && "value" in common) return { own: own.value, common: common.value };
    for (const result of [own, common]) if ("error" in result) faults.push(...result.error.faults);
  } catch (error) {
    throw new TypeError("Cannot read the settings: the schema is wrong", { cause: error });
  }
  return new ConfigError(faults);
}

/** OpenTelemetry reads these by itself: `api-key=secret,other=secret`. */
function collectorSecrets(env: Env): string[] {
  const values = ["", "TRACES_", "METRICS_"].map((kind) =>
    env[`OTEL_EXPORTER_OTLP_${kind}HEADERS`]
  );
  return values.flatMap((value) => value?.split(",") ?? [])
    .map((header) => header.slice(header.indexOf("=") + 1));
}

function attempt<T>(read: () => T): { value: T } | { error: ConfigError } {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof ConfigError) return { error };
    throw error;
  }
}

function failOnConfig(name: string, error: ConfigError): void {
  const lines = error.faults.map(({ setting, problem }) => `  ${setting} ${problem}\n`);
  process.stderr.write(`Cannot start "${name}": the settings are wrong\n${lines.join("")}`);
  process.exitCode = 2;
  // A pipe to a parent keeps the loop alive.
  if (process.connected) process.disconnect();
}

function catchStrays(logger: Logger, exitNow: (code: number) => void): void {
  process.on("uncaughtException", (error, origin) => {
    logger.error("Cannot continue: uncaught error", { error, origin });
    exitNow(1);
  });
  process.on("unhandledRejection", (error) => {
    logger.error("Cannot continue: uncaught error", { error, origin: "unhandledRejection" });
    exitNow(1);
  });
}

function hanging(held: Set<{ name: string }>) {
  return { held: [...held].map(({ name }) => name), open: process.getActiveResourcesInfo() };
}

function isReason(error: unknown, signal: AbortSignal): boolean {
  return error === signal.reason || (error instanceof Error && error.name === "AbortError");
}
