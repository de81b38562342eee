import { createTheme } from "@mantine/core";

/** Colours, type and habits of the dashboard's components. */
export const THEME = createTheme({
  primaryColor: "cyan",
  // On these, white and black text has a contrast of 4.5 and more (WCAG 2.2, 1.4.3).
  primaryShade: { light: 9, dark: 7 },
  defaultRadius: "md",
  cursorType: "pointer",
  fontFamily:
    'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace:
    'ui-monospace, "Cascadia Code", "Source Code Pro", Menlo, Consolas, monospace',
  headings: { fontWeight: "650" },
});
