import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runProgram } from "./run_program.ts";

/** A program that builds and runs images. */
export interface Engine {
  readonly name: "docker" | "podman";
  /** What its programs need in their environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs a command of the engine: `images`, `--format`, `json`. */
  run(args: readonly string[], options?: { logFile?: string; stdin?: string }): Promise<string>;
}

/**
 * Finds Docker, else Podman. Podman gets a store of its own in a folder, so that nothing of the machine's
 * is touched, and limits that this user may set.
 *
 * @throws {Error} If there is neither.
 */
export async function findEngine(folder: string): Promise<Engine> {
  if (await works(["docker", "info"])) return engine("docker", {});
  if (!await works(["podman", "--version"])) {
    throw new Error("Cannot build images: neither Docker nor Podman is there; install one of them");
  }
  await mkdir(folder, { recursive: true });
  const storage = join(folder, "storage.conf");
  const containers = join(folder, "containers.conf");
  await writeFile(
    storage,
    `[storage]\ndriver = "overlay"\ngraphroot = "${folder}/store"\nrunroot = "${folder}/run"\n`,
  );
  // crun refuses the mixed control groups of some machines; runc takes them.
  const runtime = await works(["runc", "--version"]) ? "runc" : "crun";
  const files = (await runProgram(["sh", "-c", "ulimit -n"])).trim();
  await writeFile(
    containers,
    `[containers]\ndefault_ulimits = ["nofile=${files}:${files}", "nproc=4096:4096"]\n` +
      `[engine]\nruntime = "${runtime}"\n`,
  );
  return engine("podman", { CONTAINERS_STORAGE_CONF: storage, CONTAINERS_CONF: containers });
}

function engine(name: Engine["name"], env: Engine["env"]): Engine {
  return {
    name,
    env,
    run: (args, options = {}) => runProgram([name, ...args], { env, ...options }),
  };
}

async function works(command: readonly [string, ...string[]]): Promise<boolean> {
  return await runProgram(command).then(() => true, () => false);
}
