import assert from "node:assert/strict";
import { test } from "node:test";
import caniemail from "caniemail/caniemail.json" with { type: "json" };
import { IGNORED_CSS } from "./_ignored_css.ts";

type Stats = Record<string, Record<string, Record<string, string>>>;

const FEATURES = new Map(
  caniemail.data.filter(({ category }) => category === "css")
    .map(({ slug, stats }) => [slug, stats as unknown as Stats]),
);

/**
 * CSS that two of the large clients ignore, and that no rule reports, by the reason. Whoever updates the data
 * finds new ones here, and decides.
 */
const NOT_REPORTED: Readonly<Record<string, readonly string[]>> = {
  "the mail looks much the same without it": [
    ...["accent-color", "backdrop-filter", "background-blend-mode", "background-clip"],
    ...["background-origin", "border-image", "border-inline-block", "border-radius-logical"],
    ...["border-inline-block-individual", "border-inline-block-longhand", "box-shadow"],
    ...["box-sizing", "color-scheme", "cursor", "empty-cells", "font-kerning", "font-stretch"],
    ...["height", "hyphenate-character", "hyphenate-limit-chars", "hyphens", "list-style-image"],
    ...["mix-blend-mode", "orphans", "outline-offset", "overflow-wrap", "tab-size"],
    ...["text-align-last", "text-decoration-skip-ink", "text-decoration-thickness"],
    ...["text-emphasis", "text-emphasis-position", "text-justify", "text-orientation"],
    ...["text-overflow", "text-shadow", "text-underline-offset", "text-underline-position"],
    ...["text-wrap", "unit-initial", "white-space-collapse", "widows", "word-wrap"],
  ],
  "preheaders have it beside display: none": ["visibility"],
  "it is for what readers do": [
    ...["inert-attribute", "resize", "scroll-snap", "transition", "user-select"],
  ],
  "it does nothing without a property that is reported": [
    ...["at-keyframes", "column-layout-properties", "left-right-top-bottom", "shape-margin"],
    ...["z-index", "align-items", "flex-wrap", "justify-content"],
  ],
  "it is a rule or a selector, and no declaration": [
    ...["at-font-face", "at-import", "at-media", "at-media-device-pixel-ratio", "at-media-hover"],
    ...["at-media-orientation", "at-media-prefers-color-scheme", "nesting"],
    ...["at-media-prefers-reduced-motion", "at-supports"],
  ],
};

test("IGNORED_CSS names the clients that ignore each kind by the data of caniemail", () => {
  for (const { css, features, by } of IGNORED_CSS) {
    for (const feature of features) {
      assert.equal(ignoringIn(feature), by, `${css.source} is css-${feature}`);
    }
  }
});

test("IGNORED_CSS has what two large clients ignore, or it is known why it has not", () => {
  const known = new Set([
    ...IGNORED_CSS.flatMap(({ features }) => features),
    ...Object.values(NOT_REPORTED).flat(),
  ]);
  const isMarkup = (feature: string) => /^(?:pseudo|selector)-/.test(feature);
  const missing = [...FEATURES.keys()].map((slug) => slug.replace("css-", ""))
    .filter((feature) => !isMarkup(feature) && !known.has(feature))
    .filter((feature) => (ignoringIn(feature) ?? "").includes(" and "));
  assert.deepEqual(missing, []);
  const gone = [...known].filter((feature) => !FEATURES.has(`css-${feature}`));
  assert.deepEqual(gone, []);
});

/** Returns the large clients that ignore a feature: as a sentence says them. */
function ignoringIn(feature: string): string | undefined {
  const stats = FEATURES.get(`css-${feature}`);
  assert.ok(stats, `caniemail has css-${feature}`);
  const ignores = (family: string, platforms: readonly string[]) => {
    const found = platforms.map((platform) => latest(stats[family]?.[platform]));
    return found.includes("n") && found.every((support) => support === "n" || support === "u");
  };
  const apps = ["desktop-webmail", "ios", "android"];
  const names = [
    ...ignores("gmail", apps) ? ["Gmail"] : [],
    ...ignores("outlook", ["windows", "outlook-com"])
      ? ["Outlook"]
      : ignores("outlook", ["windows"])
      ? ["Outlook for Windows"]
      : [],
    ...ignores("yahoo", apps) ? ["Yahoo"] : [],
  ];
  if (names.length < 2) return names[0];
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** Returns `y`, `a` (in part), `n` or `u` (unknown) for the version of a client that was tested last. */
function latest(versions: Record<string, string> = {}): string | undefined {
  return Object.values(versions).at(-1)?.[0];
}
