import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Engine } from "./engine.ts";
import { runProgram } from "./run_program.ts";

/** The images: the targets at the end of `deploy/docker/Dockerfile`. */
export const IMAGES = [
  "api",
  "renderer",
  "pdf",
  "mailer",
  "tracker",
  "webhooks",
  "dashboard",
  "cli",
  "inbox",
] as const;

/** How the images are built. */
export interface BuildOptions {
  engine: Engine;
  /** Folder of the repository. */
  root: string;
  /** Folder for the logs of the builds. */
  logDir: string;
  /** Tag, and the label `org.opencontainers.image.version`. */
  version: string;
  /** Where the sources are published, for the label. */
  source?: string | undefined;
  onBuilt(image: BuiltImage): void;
}

/** An image that was built. */
export interface BuiltImage {
  name: string;
  /** As the engine counts it, with all layers. */
  bytes: number;
  seconds: number;
}

/**
 * Builds every image as `posthaste-<name>:<version>` and `:latest`.
 *
 * @throws {Error} If one cannot be built, with the last lines of its log.
 */
export async function buildImages(options: BuildOptions): Promise<void> {
  const { engine, root, logDir, version, source = "", onBuilt } = options;
  await mkdir(logDir, { recursive: true });
  const revision = await runProgram(["git", "rev-parse", "HEAD"], { cwd: root })
    .catch(() => "unknown");
  for (const image of IMAGES) {
    const from = performance.now();
    const name = `posthaste-${image}`;
    await engine.run([
      "build",
      // Podman's own format has no health check.
      ...(engine.name === "podman" ? ["--format", "docker", "--layers", "--network", "host"] : []),
      ...["--build-arg", `VERSION=${version}`],
      ...["--build-arg", `REVISION=${revision.trim()}`],
      ...["--build-arg", `SOURCE=${source}`],
      ...["--file", join(root, "deploy/docker/Dockerfile"), "--target", image],
      ...["--tag", `${name}:${version}`, "--tag", `${name}:latest`],
      root,
    ], { logFile: join(logDir, `${image}.log`) });
    const size = await engine.run(["image", "inspect", "--format", "{{.Size}}", `${name}:latest`]);
    onBuilt({ name, bytes: Number(size), seconds: (performance.now() - from) / 1000 });
  }
}
