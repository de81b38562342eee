import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { arch, availableParallelism, cpus, platform, release, totalmem } from "node:os";
import process from "node:process";
import { findMongod, findNatsServer } from "@posthaste/embedded";

/** What the figures were measured on. */
export interface Machine {
  cores: number;
  cpu: string;
  memoryGb: number;
  system: string;
  versions: Record<string, string>;
}

/** Describes this machine and the programs that were measured. */
export async function describeMachine(
  env: Record<string, string | undefined>,
  chromiumPath: { executablePath: string; env: Record<string, string> },
): Promise<Machine> {
  const [nats, mongod] = await Promise.all([findNatsServer(env), findMongod({ env })]);
  const chromium = execFileSync(chromiumPath.executablePath, ["--version"], {
    env: chromiumPath.env,
    encoding: "utf8",
  }).trim();
  const packages = ["nodemailer", "fastify", "handlebars", "playwright-core", "mongodb"];
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    system: `${platform()} ${release()} ${arch()}`,
    versions: {
      node: process.versions.node,
      nats: nats.version,
      mongod: mongod.version,
      chromium,
      ...Object.fromEntries(packages.map((name) => [name, versionOf(name)])),
    },
  };
}

function versionOf(name: string): string {
  const file = new URL(`../node_modules/${name}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")).version;
}
