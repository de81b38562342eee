const ACTIVE = new Set([
  ...[
    "SCRIPT",
    "IFRAME",
    "FRAME",
    "FRAMESET",
    "OBJECT",
    "EMBED",
    "APPLET",
    "PORTAL",
    "META",
    "LINK",
  ],
]);
const RUNS = /^\s*(?:javascript|vbscript|data)\s*:/i;
const LINKS = new Set(["href", "xlink:href", "action", "formaction"]);

/**
 * Returns a page without anything that could run or load another page, for a frame whose document is read. The
 * sandbox and the policy of this page forbid the same.
 */
export function inertPage(html: string): string {
  const page = new DOMParser().parseFromString(html, "text/html");
  const walker = document.createTreeWalker(page, NodeFilter.SHOW_ELEMENT);
  const elements: Element[] = [];
  while (walker.nextNode()) elements.push(walker.currentNode as Element);
  for (const element of elements) {
    if (isActive(element)) Element.prototype.remove.call(element);
    else removeActive(element);
  }
  const [root] = elements;
  const isQuirky = page.compatMode === "BackCompat";
  return `${isQuirky ? "" : "<!doctype html>"}${root?.outerHTML ?? ""}`;
}

function isActive(element: Element): boolean {
  const name = element.nodeName.toUpperCase();
  const { hasAttribute } = Element.prototype;
  return ACTIVE.has(name) || name === "META" && hasAttribute.call(element, "http-equiv");
}

function removeActive(element: Element): void {
  // Elements of a form can hide its own functions by their names.
  const { getAttributeNames, getAttribute, removeAttribute } = Element.prototype;
  for (const name of getAttributeNames.call(element)) {
    const lower = name.toLowerCase();
    const isLink = LINKS.has(lower) && RUNS.test(getAttribute.call(element, name) ?? "");
    if (lower.startsWith("on") || isLink) removeAttribute.call(element, name);
  }
}
