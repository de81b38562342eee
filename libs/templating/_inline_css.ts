import { hidePlaceholders } from "./_placeholders.ts";

/**
 * Moves the rules of `<style>` into `style` attributes, as mail clients require. Media queries, fonts, key
 * frames and pseudo-classes stay where they are. Rules also stay in `<style>` if a placeholder selects a
 * class, because only the filled template determines which rule applies.
 */
export async function inlineCss(html: string): Promise<{ html: string; warnings: string[] }> {
  const { default: juice } = await import("juice");
  const hidden = hidePlaceholders(html);
  const chosenLater = new RegExp(`\\b(?:class|id)\\s*=\\s*(?:"[^"]*"|'[^']*')`, "gi");
  const keepStyles = [...hidden.text.matchAll(chosenLater)]
    .some(([attribute]) => hidden.order(attribute).length > 0);
  const inlined = juice(hidden.text, {
    removeStyleTags: !keepStyles,
    preserveMediaQueries: true,
    preserveFontFaces: true,
    preserveKeyFrames: true,
    preservePseudos: true,
    preserveContainerQueries: true,
    preserveLayers: true,
    preserveImportant: true,
    applyWidthAttributes: false,
    applyHeightAttributes: false,
    applyAttributesTableElements: true,
    resolveCSSVariables: true,
  });
  const lost = missing(hidden.order(withoutStyles(hidden.text)), hidden.order(inlined));
  if (lost) {
    const { line } = hidden.placeOf(lost.tag);
    const reason = `${hidden.tags[lost.tag]} on line ${line} would be lost`;
    return { html, warnings: [`The CSS was left in <style>: ${reason}`] };
  }
  const warnings = keepStyles ? [CHOSEN_LATER] : [];
  return { html: hidden.restore(inlined), warnings };
}

const CHOSEN_LATER =
  "A placeholder sets a class or id: its rules stay in <style>, and inlined rules override " +
  "them";

/**
 * Returns a difference in order. Rules are copied to many elements or dropped; everything else must keep its
 * order.
 */
function missing(before: readonly number[], after: readonly number[]): { tag: number } | undefined {
  let from = 0;
  for (const tag of before) {
    const found = after.indexOf(tag, from);
    if (found === -1) return { tag };
    from = found + 1;
  }
  return undefined;
}

function withoutStyles(html: string): string {
  return html.replace(/<style\b[\s\S]*?<\/style\s*>/gi, "");
}
