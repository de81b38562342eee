import { existsSync } from "node:fs";
import { mkdir, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";

/** A share of the machine that some processes have together, as a container has. Disposing removes it. */
export interface CpuLimit extends AsyncDisposable {
  /** Puts processes under the limit; those that they start later are under it, too. */
  add(pids: readonly number[]): Promise<void>;
}

const PERIOD_US = 20_000;

/** Folders of the CPU's control groups: of version 1, otherwise of version 2. */
const V1 = "/sys/fs/cgroup/cpu";
const V2 = "/sys/fs/cgroup";

/**
 * Opens a limit by a control group of the kernel. Needs Linux, and root.
 *
 * @param cores So much of one core: 0.25 is a quarter.
 * @throws {Error} If this machine does not permit one.
 */
export async function openCpuLimit(name: string, cores: number): Promise<CpuLimit> {
  const isV1 = existsSync(join(V1, "cpu.cfs_quota_us")) || existsSync(join(V1, "cgroup.procs"));
  const folder = join(isV1 ? V1 : V2, `posthaste-${process.pid}-${name}`);
  const quota = Math.round(PERIOD_US * cores);
  await mkdir(folder);
  if (isV1) {
    await writeFile(join(folder, "cpu.cfs_period_us"), String(PERIOD_US));
    await writeFile(join(folder, "cpu.cfs_quota_us"), String(quota));
  } else await writeFile(join(folder, "cpu.max"), `${quota} ${PERIOD_US}`);
  return {
    async add(pids) {
      for (const pid of pids) {
        // One that has ended meanwhile needs none.
        await writeFile(join(folder, "cgroup.procs"), String(pid)).catch(() => undefined);
      }
    },
    async [Symbol.asyncDispose]() {
      // It can be removed when its last process is gone, which the kernel notices a moment later.
      for (let tries = 0; tries < 100; tries++) {
        try {
          return await rmdir(folder);
        } catch {
          await delay(50);
        }
      }
    },
  };
}
