import { describeConfig, readConfig, SERVICE_CONFIG } from "@posthaste/runtime";
import type { z } from "zod";
import type { KubernetesObject } from "./build_overlay.ts";
import { settingsOf } from "./settings_of.ts";

/** Example values of the settings in a Secret. */
const LIKE_SECRETS: Record<string, string> = {
  MONGODB_URL: "mongodb://host/posthaste",
  NATS_URL: "tls://host:4222",
  SECOND_FACTOR_KEY: Buffer.alloc(32).toString("base64"),
};

/** Returns the schema of a service's settings, with those that every service has. */
export async function schemaOf(service: string): Promise<z.ZodObject> {
  const { CONFIG } = await import(`../../services/${service}/config.ts`);
  return (CONFIG as z.ZodObject).safeExtend(SERVICE_CONFIG.shape);
}

/**
 * Reads a service's settings as the service would, from its environment in an overlay, with the defaults.
 *
 * @throws {ConfigError} One is missing or wrong.
 */
export async function configOf(
  objects: readonly KubernetesObject[],
  service: string,
): Promise<Record<string, unknown>> {
  const schema = await schemaOf(service);
  const env: Record<string, string> = settingsOf(objects, service);
  for (const { name, secret } of describeConfig(schema)) {
    if (!secret || env[`${name}_FILE`] === undefined) continue;
    delete env[`${name}_FILE`];
    env[name] = LIKE_SECRETS[name] ?? "secret";
  }
  return readConfig(schema, env);
}
