import { parseArgs } from "node:util";

/** What a person asks of `npm test`. */
export interface Options {
  /** Beginnings of paths, or words in them; all files if there are none. */
  words: readonly string[];
  /** Only what differs from this commit, and what imports it. */
  changedSince: string | undefined;
  /** Whether files that are left to the night run, too, though nothing asks for them alone. */
  all: boolean;
}

/** Shown for `--help`. */
export const HELP =
  `npm test                     runs every test but those that are left to the night
npm test -- --all            runs those, too
npm test -- <path or word>…  runs the files below a path, or with a word in their path
npm test -- --changed        runs the files that uncommitted changes can touch, by their imports
npm test -- --since <commit> runs the files that changes since a commit can touch
`;

/** @throws {TypeError} An option is not known */
export function parseOptions(args: readonly string[]): Options | "help" {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      changed: { type: "boolean" },
      since: { type: "string" },
      all: { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return "help";
  return {
    words: positionals.map((word) => word.replace(/^\.\//, "").replace(/\/$/, "")),
    all: values.all,
    changedSince: values.since ?? (values.changed ? "HEAD" : undefined),
  };
}

/** Returns whether a file is among those that are asked for. */
export function isAsked(file: string, words: readonly string[]): boolean {
  return words.length === 0 || words.some((word) => file.includes(word));
}
