/**
 * Writes the command of each service's image into `Dockerfile`, with the flags of
 * `dev/node_flags.ts`, most of which follow from `libs/runtime/permissions.ts`.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import { imageFlags, SERVICES } from "@posthaste/dev";
import { writeGenerated } from "../k8s/write_generated.ts";

const DOCKERFILE = new URL("Dockerfile", import.meta.url);
/** Of a line without its backslash. */
const MAX_WIDTH = 99;

/** Returns a Dockerfile with the start commands of its services. */
function withImageCommands(dockerfile: string): string {
  return SERVICES.reduce((text, name) => {
    const command = new RegExp(`^(FROM runtime AS ${name}\\n[^]*?^CMD )\\[[^\\]]*\\]$`, "m");
    if (!command.test(text)) throw new Error(`Cannot find the command of "${name}" in Dockerfile`);
    const parts = ["node", ...imageFlags(name), `services/${name}/main.ts`];
    return text.replace(command, (_, before: string) => before + listOf(parts));
  }, dockerfile);
}

/** Returns a list in the form of a Dockerfile, in filled lines. */
function listOf(parts: readonly string[]): string {
  const lines: string[] = [];
  let line = " ";
  for (const [index, part] of parts.entries()) {
    const word = ` ${JSON.stringify(part)}${index < parts.length - 1 ? "," : ""}`;
    if (line.length + word.length > MAX_WIDTH) {
      lines.push(line);
      line = " ";
    }
    line += word;
  }
  return `[ \\\n${[...lines, line].join(" \\\n")} \\\n]`;
}

/** Writes the commands; with `--check` it only reports whether one is stale. */
export async function writeImageCommands(): Promise<void> {
  await writeGenerated(DOCKERFILE, withImageCommands(await readFile(DOCKERFILE, "utf8")));
}
