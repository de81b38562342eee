import { DomUtils, parseDocument } from "htmlparser2";

/** What readers of a page get, by an independent parser. */
export interface Page {
  /** Without repeated white space. */
  readonly text: string;
  readonly elements: readonly string[];
  readonly links: readonly string[];
  readonly images: readonly string[];
  /** The declarations of each element's `style`, sorted. */
  readonly styles: readonly string[];
}

/** Reads the body of a page. */
export function readPage(html: string): Page {
  const document = parseDocument(html);
  const [body] = DomUtils.getElementsByTagName("body", document, true, 1);
  const elements = DomUtils.getElementsByTagName("*", body?.children ?? document.children);
  const values = (name: string) => elements.flatMap(({ attribs }) => attribs[name] ?? []);
  return {
    text: DomUtils.textContent(body ?? document).replaceAll(/\s+/g, " ").trim(),
    elements: elements.map(({ name }) => name),
    links: values("href"),
    images: values("src"),
    styles: values("style").map((style) =>
      style.split(";").map((one) => one.trim().replaceAll(/\s+/g, " ").replace(": ", ":"))
        .filter((one) => one !== "").sort().join(";")
    ),
  };
}
