/**
 * The life of a process: settings, health, signals, pauses and shutdown.
 *
 * ```ts
 * const CONFIG = z.object({
 *   MONGODB_URL: setting.url({ secret: true }).describe("Where the database is"),
 *   SEND_TIMEOUT: setting.duration().prefault("30s").describe("Longest SMTP transaction"),
 * });
 *
 * await runService({
 *   name: "mailer",
 *   env: process.env,
 *   config: CONFIG,
 *   run: async ({ config, signal, logger, health, hold }) => {
 *     await using mongo = await openMongo({ url: config.MONGODB_URL });
 *     health.add("mongo", () => mongo.ping());
 *     await work({ signal, logger });
 *   },
 * });
 * ```
 *
 * @module
 */
export { allEnded, allSettled } from "./all_ended.ts";
export { answerWithin } from "./answer_within.ts";
export { CONNECTIONS } from "./connections.ts";
export { armFailpoint, type Failpoint, failpoint, FAILPOINTS } from "./failpoint.ts";
export { describeConfig, type SettingDescription } from "./describe_config.ts";
export { type Health, type HealthCheck, type HealthOptions, openHealth } from "./health.ts";
export { onceThere, type Waiting } from "./once_there.ts";
export { pause, untilBeat } from "./pause.ts";
export {
  type DestinationName,
  DESTINATIONS,
  EVERY_PROGRAM,
  JOBS_DIAL,
  PERMISSIONS,
  permissionsFor,
  PERMITTED_SERVICES,
  type PermittedService,
  type PlaceName,
  PLACES,
} from "./permissions.ts";
export { randomName, takeRandomBytes } from "./random_bytes.ts";
export { ConfigError, type ConfigFault, type Env, readConfig } from "./read_config.ts";
export { rareWarnings } from "./rare_warnings.ts";
export { repeat, type Repetition } from "./repeat.ts";
export { runService, type ServiceContext, type ServiceOptions } from "./run_service.ts";
export { SERVICE_CONFIG } from "./service_config.ts";
export { fileVariableOf, readSecretFile } from "./secret_file.ts";
export {
  ASSET_SETTINGS,
  MAIL_LIMITS,
  MAX_PDF_BYTES,
  PDF_LIMITS,
  REQUEST_LIMITS,
  SUPPRESSION_SETTINGS,
} from "./shared_limits.ts";
export type {
  BrokerDuties,
  CollectionAction,
  Destination,
  Place,
  ProgramPermissions,
} from "./service_permissions.ts";
export { setting, type SettingMeta } from "./setting.ts";
export { Throttle } from "./throttle.ts";
export { openTimeLimit } from "./time_limit.ts";
export { formatBytes, formatDuration, parseBytes, parseDuration } from "./units.ts";
