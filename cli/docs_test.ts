import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import type { Command } from "commander";
import type { CommandContext } from "./command_context.ts";
import { COMMANDS } from "./command_line.ts";

/** Returns a command that does something, or those below it, as they are typed. */
function typedOf(command: Command, before = ""): string[] {
  const typed = `${before}${command.name()}`;
  return command.commands.length === 0
    ? [typed]
    : command.commands.flatMap((child) => typedOf(child, `${typed} `));
}

test("docs/command_line.md has a row for each command", async () => {
  const page = await readFile(new URL("../docs/command_line.md", import.meta.url), "utf8");
  const rows = page.split("\n").filter((line) => line.startsWith("| `")).join("\n");
  // A command uses its context only when it runs.
  const all = COMMANDS.flatMap((make) => typedOf(make({} as CommandContext)));
  assert.deepEqual(all.filter((typed) => !new RegExp(`\\| .*\`${typed}[ \`]`).test(rows)), []);
});
