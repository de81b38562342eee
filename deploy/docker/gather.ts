/**
 * Gathers the files of the images, as the build's stage `sources` does:
 *
 * ```sh
 * node deploy/docker/gather.ts /gathered
 * ```
 *
 * `manifests` gets every file that `npm ci` reads, `workspaces/<image>` the workspaces that the image
 * installs as arguments of npm, and `<image>` the sources that run in it: the program, and the libraries
 * that it imports or that these do, without their tests.
 *
 * @module
 */
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import process from "node:process";

/** The program of each image; its workspace is the nearest folder above with a manifest. */
export const IMAGES: Readonly<Record<string, string>> = {
  api: "services/api",
  renderer: "services/renderer",
  pdf: "services/pdf",
  mailer: "services/mailer",
  tracker: "services/tracker",
  webhooks: "services/webhooks",
  dashboard: "services/dashboard",
  cli: "cli",
  inbox: "dev/inbox",
};

const LIBRARY = /\b(?:from|import)\s*\(?\s*"@posthaste\/(\w+)"/g;
// The dashboard's application in the browser is built in a stage of its own.
const DEVELOPMENT = [/_test\.ts$/, /\/_test_/, /_fixture\.ts$/, /\/dashboard\/(build|web)\//];

/** Lists the libraries that a folder imports, directly or through another one, as folders. */
function librariesOf(root: string, folder: string): string[] {
  const found = new Set<string>();
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const file of sourcesOf(root, next)) {
      for (const [, name] of readFileSync(join(root, file), "utf8").matchAll(LIBRARY)) {
        const library = `libs/${name}`;
        if (found.has(library)) continue;
        found.add(library);
        waiting.push(library);
      }
    }
  }
  return [...found].sort();
}

/** Lists the files of a folder that run in production. */
export function sourcesOf(root: string, folder: string): string[] {
  return globSync(`${folder}/**/*.{ts,js,json,html,css,sh}`, {
    cwd: root,
    exclude: (path) => basename(path) === "node_modules",
  }).filter((file) => !DEVELOPMENT.some((pattern) => pattern.test(file))).sort();
}

function gather(root: string, target: string): void {
  const { workspaces } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const manifests = globSync(workspaces.map((folder: string) => `${folder}/package.json`), {
    cwd: root,
  });
  copy(root, join(target, "manifests"), ["package.json", "package-lock.json", ...manifests]);
  mkdirSync(join(target, "workspaces"), { recursive: true });
  for (const [image, folder] of Object.entries(IMAGES)) {
    const own = manifests.map((file) => dirname(file)).find((unit) => isWithin(folder, unit));
    if (own === undefined) throw new Error(`Cannot gather "${image}": "${folder}" has no manifest`);
    const units = [own, ...librariesOf(root, folder)];
    const flags = units.map((unit) => `--workspace=${unit}`);
    writeFileSync(join(target, "workspaces", image), `${flags.join(" ")}\n`);
    const files = [folder, ...units.slice(1)].flatMap((each) => sourcesOf(root, each));
    const named = ["package.json", ...units.map((unit) => `${unit}/package.json`)];
    copy(root, join(target, image), [...new Set([...named, ...files])]);
  }
}

function isWithin(folder: string, unit: string): boolean {
  return folder === unit || folder.startsWith(`${unit}/`);
}

function copy(root: string, target: string, files: readonly string[]): void {
  for (const file of files) cpSync(join(root, file), join(target, file));
}

if (import.meta.main) {
  const [target] = process.argv.slice(2);
  if (target === undefined) throw new Error("Cannot gather: the folder to write is not given");
  gather(join(import.meta.dirname, "../.."), target);
}
