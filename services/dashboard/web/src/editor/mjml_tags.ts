import type { TagSpec } from "@codemirror/lang-html";

const SPACE = { padding: null, "css-class": null };
const TYPE = { color: null, "font-family": null, "font-size": null, "line-height": null };
const ALIGN = { align: ["left", "center", "right"] };

/** The most common tags of MJML, for completion. */
export const MJML_TAGS: Record<string, TagSpec> = {
  mjml: { attrs: { lang: null }, children: ["mj-head", "mj-body"] },
  "mj-head": {},
  "mj-title": {},
  "mj-preview": {},
  "mj-attributes": {},
  "mj-all": { attrs: TYPE },
  "mj-class": { attrs: { name: null } },
  "mj-style": { attrs: { inline: ["inline"] } },
  "mj-raw": {},
  "mj-body": { attrs: { width: null, "background-color": null } },
  "mj-wrapper": { attrs: { ...SPACE, "background-color": null } },
  "mj-section": { attrs: { ...SPACE, "background-color": null, "full-width": ["full-width"] } },
  "mj-column": { attrs: { ...SPACE, width: null, "background-color": null } },
  "mj-group": { attrs: { width: null } },
  "mj-text": { attrs: { ...SPACE, ...TYPE, ...ALIGN } },
  "mj-button": { attrs: { ...SPACE, ...TYPE, ...ALIGN, href: null, "background-color": null } },
  "mj-image": { attrs: { ...SPACE, ...ALIGN, src: null, alt: null, width: null, href: null } },
  "mj-divider": { attrs: { ...SPACE, "border-color": null, "border-width": null } },
  "mj-spacer": { attrs: { height: null } },
  "mj-table": { attrs: { ...SPACE, ...TYPE } },
  "mj-social": { attrs: { ...SPACE, mode: ["horizontal", "vertical"] } },
  "mj-social-element": { attrs: { name: null, href: null } },
};
