import { type CSSVariablesResolver, darken } from "@mantine/core";

/** How much the darkest shade of a colour is darkened for text; yellow is lighter than the others. */
const DARKER = 0.2;
const DARKER_YELLOW = 0.35;

/**
 * Colours of text that are too pale in Mantine: with these the contrast is at least 4.5, on the
 * page and on the tint of badges and notes (WCAG 2.2, 1.4.3).
 */
export const CONTRAST: CSSVariablesResolver = ({ colors }) => {
  const light: Record<string, string> = {
    "--mantine-color-dimmed": "#5c636a",
    "--mantine-color-placeholder": "#6a7178",
    "--mantine-color-error": colors.red[9],
  };
  for (const [name, shades] of Object.entries(colors)) {
    const text = darken(shades[9], name === "yellow" ? DARKER_YELLOW : DARKER);
    for (const use of ["text", "light-color", "outline"]) {
      light[`--mantine-color-${name}-${use}`] = text;
    }
  }
  return {
    variables: {},
    light,
    dark: {
      "--mantine-color-dimmed": "#a6a6a6",
      "--mantine-color-placeholder": "#8f8f8f",
      "--mantine-color-error": colors.red[4],
    },
  };
};
