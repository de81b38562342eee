import { createTheme } from "@mantine/core";

/** The title of a dialog is its heading. */
const HEADED = { title: { fontWeight: 650, lineHeight: 1.4 } };

/** Colours, fonts and defaults of the dashboard's components. */
export const THEME = createTheme({
  primaryColor: "cyan",
  // The same in dark colours: by it Mantine chooses the colour of text, whatever the scheme.
  primaryShade: 9,
  // Text on a colour is white up to this luminance, and black above: its contrast is never below 4.5
  // (WCAG 2.2, 1.4.3).
  autoContrast: true,
  luminanceThreshold: 0.179,
  defaultRadius: "md",
  cursorType: "pointer",
  // Menus and dialogs open and close immediately (the rest is in `global.css`).
  respectReducedMotion: true,
  fontFamily:
    'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace:
    'ui-monospace, "Cascadia Code", "Source Code Pro", Menlo, Consolas, monospace',
  // The scale of text: 24 pages, 18 narrow pages and dialogs, 16 parts of a page, 14 text, 12 notes.
  headings: {
    fontWeight: "650",
    sizes: {
      h1: { fontSize: "1.5rem", lineHeight: "1.35" },
      h2: { fontSize: "1.125rem", lineHeight: "1.45" },
      h3: { fontSize: "1rem", lineHeight: "1.5" },
      h4: { fontSize: "0.875rem", lineHeight: "1.55" },
    },
  },
  components: {
    Modal: { defaultProps: { closeButtonProps: { "aria-label": "Close" } }, styles: HEADED },
    Drawer: { defaultProps: { closeButtonProps: { "aria-label": "Close" } }, styles: HEADED },
    // Their elements <header> would count as headers of the page.
    ModalHeader: { defaultProps: { role: "presentation" } },
    DrawerHeader: { defaultProps: { role: "presentation" } },
    Notification: { defaultProps: { closeButtonProps: { "aria-label": "Close" } } },
    Table: { defaultProps: { verticalSpacing: "xs", tabularNums: true } },
    // Its own ground is that of a card in dark colours.
    Code: { defaultProps: { bg: "var(--mantine-color-default-hover)" } },
    // The primary colour itself is too dark on dark ground.
    Tabs: { defaultProps: { color: "var(--mantine-color-cyan-text)" } },
  },
});
