import { BRAND, type DraftSource } from "@posthaste/contracts";
import { emptySource } from "../templates/open_draft.ts";

const CONTENT = "The content of the template";

/** Returns a template that has one partial and little else: enough to check it, or to see it. */
export function aloneSource({ name, source }: { name: string; source: string }): DraftSource {
  return { ...emptySource("email"), subject: "Preview", html: aloneHtml(name, source) };
}

function aloneHtml(name: string, source: string): string {
  if (name === BRAND) return `<p>${CONTENT}</p>`;
  const around = (content: string) => `{{#> ${name}}}${content}{{/${name}}}`;
  const [, element] = /^\s*<(mj[\w-]+)/i.exec(source) ?? [];
  const column = (content: string) => `<mj-section><mj-column>${content}</mj-column></mj-section>`;
  const body = (content: string) => `<mjml><mj-body>${content}</mj-body></mjml>`;
  const text = `<mj-text>${CONTENT}</mj-text>`;
  switch (element?.toLowerCase()) {
    case undefined:
      return around(`<p>${CONTENT}</p>`);
    case "mjml":
      return around(column(text));
    case "mj-body":
      return `<mjml>${around(column(text))}</mjml>`;
    case "mj-section":
    case "mj-wrapper":
    case "mj-hero":
      return body(around(text));
    case "mj-column":
    case "mj-group":
      return body(`<mj-section>${around(text)}</mj-section>`);
    default:
      return HEAD.test(element ?? "")
        ? `<mjml><mj-head>${around("")}</mj-head><mj-body>${column(text)}</mj-body></mjml>`
        : body(column(around(text)));
  }
}

const HEAD = /^mj-(attributes|all|class|style|font|title|preview|breakpoint|html-attributes)$/i;
