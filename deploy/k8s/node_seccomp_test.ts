import assert from "node:assert/strict";
import { join } from "node:path";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import type { IDaemonSet } from "kubernetes-models/apps/v1";
import { buildFolder, buildOverlay, NO_KUSTOMIZE } from "./build_overlay.ts";
import { workloadsOf } from "./workloads.ts";

const FOLDER = join(import.meta.dirname, "node_seccomp");
/** System calls of an escaped page that neither Node nor Chromium uses. */
const REFUSED = "mount umount2 pivot_root ptrace keyctl add_key bpf perf_event_open userfaultfd " +
  "io_uring_setup kexec_load init_module open_by_handle_at process_vm_readv setxattr reboot";

test("Chromium's profile allows the calls of its sandbox, and refuses unused ones", async () => {
  const profile = JSON.parse(await readFile(join(FOLDER, "chromium.json"), "utf8")) as {
    defaultAction: string;
    syscalls: { names: string[]; action: string; args?: unknown }[];
  };
  assert.equal(profile.defaultAction, "SCMP_ACT_ERRNO");
  const allowed = new Set(
    profile.syscalls.filter(({ action, args }) => action === "SCMP_ACT_ALLOW" && !args)
      .flatMap(({ names }) => names),
  );
  for (const call of ["clone", "unshare", "setns", "chroot"]) assert.ok(allowed.has(call), call);
  assert.deepEqual(REFUSED.split(" ").filter((call) => allowed.has(call)), []);
});

test("the profile is installed where the pdf service's pods look for it", {
  skip: NO_KUSTOMIZE,
}, async () => {
  const pdf = workloadsOf(await buildOverlay("prod")).find(({ name }) => name === "pdf");
  const { localhostProfile } = pdf?.pod.securityContext?.seccompProfile ?? {};
  const node = await buildFolder(FOLDER);
  const { spec } = node.find(({ kind }) => kind === "DaemonSet") as unknown as IDaemonSet;
  const { volumes = [], initContainers = [] } = spec?.template.spec ?? {};
  const folder = volumes.find(({ hostPath }) => hostPath)?.hostPath?.path;
  const file = initContainers[0]?.command?.at(-1)?.replace("/node/", "");
  assert.equal(`${folder}/${file}`, `/var/lib/kubelet/seccomp/${localhostProfile}`);
});
