import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import process from "node:process";

/** Words and phrases of earlier names, and what is written instead: one word for one thing. */
export const REPLACED: Readonly<Record<string, string>> = {
  cage: "sandbox",
  jail: "sandbox",
  lane: "priority",
  parked: "waiting",
  releaser: "scheduler",
  sweeper: "reconciler",
  eats: "consumes",
  deed: "audit entry",
  entrance: "sign-in, or ingress",
  crew: "peers",
  twin: "concurrent duplicate",
  rig: "fixture",
  rogue: "faulty",
  sabotage: "mutation",
  "bare part": "baseline",
  "event in hand": "in flight",
  "gave way": "back-pressure",
  "give way": "back-pressure",
  "gives way": "back-pressure",
  "dispatch again": "redispatch",
  "dispatches again": "redispatches",
  "dispatched again": "redispatched",
  "in doubt": "unknown outcome",
  torture: "chaos",
  hostile: "malicious",
  "crash point": "failpoint",
  "at once": "immediately, or a batch size or concurrency",
};

/** Files that name what earlier versions stored or published. */
const HISTORY: readonly RegExp[] = [
  /^CHANGELOG\.md$/,
  /^libs\/runtime\/read_config(?:_test)?\.ts$/,
  /^libs\/storage\/_migrate_\w+\.ts$/,
];

/** The customer wrote this page, and this file and its test quote the words. */
const EXEMPT: ReadonlySet<string> = new Set([
  "docs/interface.md",
  "tools/check_words.ts",
  "tools/check_words_test.ts",
]);

const SOURCES = "**/*.{ts,tsx,mjs,md,yaml,css,sh,env}";
const EXCLUDED = ["node_modules", "dist", "results"];

/**
 * Checks that sources and pages use no word that another one has replaced, also as a part of a name:
 * `parkedFor`, `_lane`, `PosthasteSweeperBusy`.
 *
 * @returns one line per violation.
 */
export function checkWords(root: string): string[] {
  const files = globSync(SOURCES, { cwd: root, exclude: (path) => isExcluded(basename(path)) })
    .filter((file) => !EXEMPT.has(file) && !HISTORY.some((pattern) => pattern.test(file))).sort();
  return files.flatMap((file) =>
    readFileSync(join(root, file), "utf8").split("\n").flatMap((text, index) =>
      replacedIn(text).map((word) =>
        `${file}:${index + 1}: "${word}" is now called "${REPLACED[word]}"`
      )
    )
  );
}

/** Temporary folders begin with a dot. */
function isExcluded(name: string): boolean {
  return EXCLUDED.includes(name) || name.startsWith(".") && name !== ".";
}

const PATTERNS = Object.keys(REPLACED).map((word) => ({
  word,
  pattern: new RegExp(` ${word}s? `),
}));

function replacedIn(text: string): string[] {
  const words = ` ${wordsOf(text).join(" ")} `;
  return PATTERNS.filter(({ pattern }) => pattern.test(words)).map(({ word }) => word);
}

/** Returns the words of a text in lower case; `parkedFor` and `PARKED_FOR` are two words each. */
function wordsOf(text: string): string[] {
  const words = text.match(/\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})|[^\s\p{L}_]+/gu) ?? [];
  return words.map((word) => word.toLowerCase());
}

if (import.meta.main) {
  const violations = checkWords(join(import.meta.dirname, ".."));
  for (const line of violations) process.stdout.write(`${line}\n`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
