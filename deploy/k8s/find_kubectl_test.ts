import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { NO_KUSTOMIZE } from "./build_overlay.ts";
import { findKubectl } from "./find_kubectl.ts";

test("findKubectl() returns one with kustomize 5", {
  skip: NO_KUSTOMIZE,
}, async () => {
  const kubectl = await findKubectl(process.env);
  const folder = new URL("overlays/prod", import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(kubectl, ["kustomize", folder], {
    maxBuffer: 2 ** 24,
  });
  assert.match(stdout, /^kind: ScaledObject$/m);
});
