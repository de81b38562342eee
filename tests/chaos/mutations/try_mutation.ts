import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cp,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { type Mutation, MUTATIONS, type Patch } from "./mutations.ts";
import type { Invariant, Violation } from "../records/reconcile.ts";
import type { RunResult } from "../run_fault.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");

/** Whether the harness detected a mutation, and how. */
export interface Detection {
  mutation: Mutation;
  /** Whether it violated its invariant, and no other one. */
  detected: boolean;
  /** The reported violations. */
  evidence: string;
  seconds: number;
}

/** Finds mutations by name; `all` stands for all. @throws {RangeError} If there is none of a name. */
export function findMutations(names: readonly string[]): Mutation[] {
  if (names.includes("all")) return [...MUTATIONS];
  return names.map((name) => {
    const found = MUTATIONS.find((mutation) => mutation.name === name);
    if (found !== undefined) return found;
    throw new RangeError(`Cannot find the mutation "${name}"`);
  });
}

/** Breaks a copy of the repository and tests it with the fault that should reveal it. */
export async function tryMutation(mutation: Mutation, seed: number): Promise<Detection> {
  const started = performance.now();
  const folder = await mkdtemp(join(tmpdir(), "posthaste-mutation-"));
  try {
    await copyRepository(folder);
    await applyPatches(folder, mutation.patches);
    const { messages, minutes } = mutation.load;
    const args = ["--seed", seed, "--only", mutation.fault, "--messages", messages];
    const output = await runHarness(folder, [...args, "--minutes", minutes].map(String));
    const problems = "broke" in output ? [] : output.results.flatMap(({ problems }) => problems);
    return {
      mutation,
      detected: isDetected(mutation, problems),
      evidence: "broke" in output
        ? `the harness itself broke: ${output.broke}`
        : evidenceOf(problems, mutation.reveals),
      seconds: Math.round((performance.now() - started) / 1000),
    };
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Returns whether the expected invariant was violated, and no unexpected one. */
export function isDetected(
  { reveals, follows = {} }: Pick<Mutation, "reveals" | "follows">,
  problems: readonly Violation[],
): boolean {
  return problems.some(({ invariant }) => invariant === reveals) &&
    problems.every(({ invariant }) => invariant === reveals || invariant in follows);
}

/** Returns the violations of each invariant, and the first line of one, preferably an unexpected one. */
function evidenceOf(problems: readonly Violation[], reveals: Invariant): string {
  const groups = [...Map.groupBy(problems, ({ invariant }) => invariant)]
    .sort(([a], [b]) => Number(a === reveals) - Number(b === reveals));
  const counts = groups.map(([invariant, { length }]) => `${invariant} ${length}x`).join(", ");
  return counts === "" ? "nothing" : `${counts}: ${groups[0]?.[1][0]?.what.slice(0, 200)}`;
}

/** Half of all files: packages of the dashboard and of deployments. Nothing of them runs in the copy. */
const LEFT_OUT = [
  "react-icons",
  "@mantine",
  "es-toolkit",
  "@kubernetes-models",
  "kubernetes-models",
];

/** Copies the tracked files and the packages. */
async function copyRepository(folder: string): Promise<void> {
  const listing = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const files = execFileSync("git", listing, { cwd: ROOT, encoding: "utf8" }).split("\0");
  for (const file of files.filter((file) => file !== "")) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    // A deleted file may still be tracked.
    await cp(join(ROOT, file), join(folder, file)).catch(() => undefined);
  }
  await linkFolder(join(ROOT, "node_modules"), join(folder, "node_modules"), LEFT_OUT);
}

/**
 * Makes a folder that shares its files with another: the sandbox reads packages where they really are, and
 * only below its own. Relative links that npm made lead into the copy.
 *
 * @param leftOut Names, in the folder itself, of what is not shared.
 */
export async function linkFolder(
  from: string,
  to: string,
  leftOut: readonly string[] = [],
): Promise<void> {
  await mkdir(to, { recursive: true });
  const entries = (await readdir(from, { withFileTypes: true }))
    .filter(({ name }) => !leftOut.includes(name));
  await Promise.all(entries.map(async (entry) => {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) return await linkFolder(source, target);
    if (entry.isSymbolicLink()) return await symlink(await readlink(source), target);
    // Files on another file system cannot be shared.
    await link(source, target).catch(() => cp(source, target));
  }));
}

/**
 * Replaces texts in files.
 *
 * @throws {Error} If a text is not there exactly once: the source has changed, and so must the patch.
 */
async function applyPatches(folder: string, patches: readonly Patch[]): Promise<void> {
  for (const { file, find, replace } of patches) {
    const path = join(folder, file);
    const parts = (await readFile(path, "utf8")).split(find);
    if (parts.length !== 2) {
      throw new Error(`Cannot mutation ${file}: the text is there ${parts.length - 1} times`);
    }
    await writeFile(path, parts.join(replace));
  }
}

/** Runs the harness of the copy; returns its last output if it aborted. */
async function runHarness(
  folder: string,
  args: string[],
): Promise<{ results: RunResult[] } | { broke: string }> {
  const child = spawn(process.execPath, ["tests/chaos/main.ts", ...args], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text) => said = `${said}${text}`.slice(-1000));
  await once(child, "close");
  const results = join(folder, "tests", "chaos", "results");
  const files = await readdir(results).catch(() => []);
  const file = files.find((name) => name.endsWith(".json"));
  if (file === undefined) return { broke: said };
  return JSON.parse(await readFile(join(results, file), "utf8"));
}

/** Returns a table of the detected mutations. */
export function writeDetections(detections: readonly Detection[]): string {
  const lines = detections.map(({ mutation, detected, evidence, seconds }) =>
    `${mutation.name.padEnd(4)} ${detected ? "seen    " : "NOT SEEN"} ${
      String(seconds).padStart(4)
    } s  ` +
    `${mutation.description} (${mutation.fault}, ${mutation.reveals}): ${evidence.slice(0, 160)}`
  );
  const seen = detections.filter(({ detected }) => detected).length;
  return [...lines, `${seen} of ${detections.length} mutations seen`].join("\n");
}
