import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { slugOf } from "../../../tools/slug_of.ts";
import { SIDEBAR } from "./sidebar.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** Linked files that are no pages: they are served as text. */
const TEXT_FILES = ["LICENSE", "NOTICE"];

/** GitHub calls the first page of a folder README.md; on the site it is index.md. */
const siteLink = (href: string) =>
  TEXT_FILES.includes(href)
    ? `/${href}.txt`
    : href.replace(/(^|\/)README\.md(?=#|$)/, "$1index.md");

export default defineConfig({
  title: "Posthaste",
  description: "Renders stored email templates, prints PDFs and sends mail",
  srcDir: ROOT,
  srcExclude: ["{bench,cli,dev,libs,services,tests,tools,.github,.posthaste}/**", "docs/site/**", "client/dist/**"],
  outDir: join(import.meta.dirname, "../dist"),
  cacheDir: join(import.meta.dirname, "cache"),
  rewrites: {
    "README.md": "index.md",
    "docs/runbook/README.md": "docs/runbook/index.md",
    "client/README.md": "client/index.md",
    "deploy/README.md": "deploy/index.md",
  },
  // `npm run check` finds dead links, without this program and on GitHub's terms.
  ignoreDeadLinks: true,
  markdown: {
    anchor: { slugify: slugOf },
    config(md) {
      // Placeholders of templates are no expressions of Vue.
      for (const name of ["text", "code_inline"] as const) {
        const rule = md.renderer.rules[name]!;
        md.renderer.rules[name] = (...args) => rule(...args).replaceAll("{{", "&#123;&#123;");
      }
      const fence = md.renderer.rules.fence!;
      md.renderer.rules.fence = (tokens, index, ...rest) => {
        const { info, content } = tokens[index]!;
        if (info.trim() !== "mermaid") return fence(tokens, index, ...rest);
        return `<Diagram id="diagram-${index}" source="${encodeURIComponent(content)}" />`;
      };
      md.core.ruler.push("site_links", ({ tokens }) => {
        for (const link of tokens.flatMap(({ children }) => children ?? [])) {
          const href = link.attrGet("href");
          if (link.type === "link_open" && href !== null) link.attrSet("href", siteLink(href));
        }
      });
    },
  },
  // Pages lie outside of the site's folder, so its packages are looked up from here.
  vite: {
    resolve: {
      alias: [{
        find: /^(vue|vue\/server-renderer)$/,
        replacement: join(import.meta.dirname, "../node_modules/$1"),
      }],
    },
  },
  themeConfig: {
    search: { provider: "local" },
    sidebar: SIDEBAR,
    outline: [2, 3],
    nav: SIDEBAR.map(({ text, items }) => ({ text, link: items[0].link })),
  },
  async buildEnd({ outDir }) {
    for (const file of TEXT_FILES) await copyFile(join(ROOT, file), join(outDir, `${file}.txt`));
  },
});
