import { parseArgs } from "node:util";

/** The options of `npm test`. */
export interface Options {
  /** Beginnings of paths, or words in them; all files if there are none. */
  words: readonly string[];
  /** Only files that differ from this commit, and those that import them. */
  changedSince: string | undefined;
  /** Whether nightly files run, too. */
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

/** Returns whether a file is requested. */
export function isAsked(file: string, words: readonly string[]): boolean {
  return words.length === 0 || words.some((word) => file.includes(word));
}
