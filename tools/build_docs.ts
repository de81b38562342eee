/**
 * Builds the documentation as a site into `docs/site/dist`: `npm run docs`; with `--serve` serves it on this
 * machine afterwards. The site has packages of its own, which are installed when they are missing or old.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

const SITE = join(import.meta.dirname, "../docs/site");
const LOCK_FILE = join(SITE, "package-lock.json");
const INSTALLED = join(SITE, "node_modules/.installed-lock.json");

if (!isInstalled()) install();
run(process.execPath, "node_modules/vitepress/bin/vitepress.js", "build", ".");
process.stdout.write(`The site is in ${join(SITE, "dist")}\n`);
if (process.argv.includes("--serve")) {
  run(process.execPath, "node_modules/vitepress/bin/vitepress.js", "preview", ".");
}

function isInstalled(): boolean {
  return existsSync(INSTALLED) &&
    readFileSync(INSTALLED, "utf8") === readFileSync(LOCK_FILE, "utf8");
}

function install(): void {
  process.stdout.write("Installing the packages of the site\n");
  run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund");
  writeFileSync(INSTALLED, readFileSync(LOCK_FILE));
}

/** Runs a program in the folder of the site and ends this one if it fails. */
function run(program: string, ...args: string[]): void {
  const { status, error } = spawnSync(program, args, { cwd: SITE, stdio: "inherit" });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
