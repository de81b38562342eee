import DefaultTheme from "vitepress/theme";
import type { Theme } from "vitepress";
import Diagram from "./diagram.vue";

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => app.component("Diagram", Diagram),
} satisfies Theme;
