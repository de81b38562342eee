import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_THEME, luminance } from "@mantine/core";
import { CONTRAST } from "./contrast.ts";

/** Returns the contrast of two colours (WCAG 2.2). */
function contrastOf(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

test("CONTRAST leaves dimmed text readable in a row under the pointer", () => {
  const { light, dark } = CONTRAST(DEFAULT_THEME);
  const { gray, dark: shades } = DEFAULT_THEME.colors;
  assert.ok(contrastOf(light["--mantine-color-dimmed"] ?? "", gray[1]) >= 4.5);
  assert.ok(contrastOf(dark["--mantine-color-dimmed"] ?? "", shades[5]) >= 4.5);
});
