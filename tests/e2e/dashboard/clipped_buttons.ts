import type { Page } from "playwright-core";

/** Widths of a phone, a tablet and a desktop, in CSS pixels. */
export const WIDTHS = [360, 768, 1440] as const;

/** Returns the buttons and tabs of a page whose text, or box, is cut off; a place that scrolls cuts nothing. */
export function clippedButtons(page: Page): Promise<string[]> {
  return page.evaluate(findClipped);
}

/** Runs in the page. */
function findClipped(): string[] {
  const tolerance = 1;

  function cutsInside(element: Element): boolean {
    const { overflowX, overflowY } = getComputedStyle(element);
    const cuts = (overflow: string) => overflow === "hidden" || overflow === "clip";
    return cuts(overflowX) && element.scrollWidth > element.clientWidth + tolerance ||
      cuts(overflowY) && element.scrollHeight > element.clientHeight + tolerance;
  }

  function spills(button: Element): boolean {
    const box = button.getBoundingClientRect();
    const range = document.createRange();
    range.selectNodeContents(button);
    return [...range.getClientRects()].some(({ left, right, width }) =>
      width > tolerance && (left < box.left - tolerance || right > box.right + tolerance)
    );
  }

  function isCutByOthers(button: Element): boolean {
    const { left, right } = button.getBoundingClientRect();
    for (let one = button.parentElement; one !== null; one = one.parentElement) {
      const { overflowX } = getComputedStyle(one);
      if (overflowX === "auto" || overflowX === "scroll") return false;
      const box = one.getBoundingClientRect();
      const isOut = left < box.left - tolerance || right > box.right + tolerance;
      if ((overflowX === "hidden" || overflowX === "clip") && isOut) return true;
    }
    return left < -tolerance || right > innerWidth + tolerance;
  }

  const buttons = [
    ...document.querySelectorAll("button, [role=button], [role=tab], a[class*=Button]"),
  ];
  return buttons.filter((button) => {
    const isShown = button.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    const { width } = button.getBoundingClientRect();
    if (!isShown || width <= tolerance || button.textContent?.trim() === "") return false;
    if (isCutByOthers(button)) return true;
    // Names that people gave can be of any length: their title shows the rest.
    const inner = [button, ...button.querySelectorAll("*")]
      .filter((one) => one.closest("[title], svg") === null);
    return inner.some(cutsInside) || inner.includes(button) && spills(button);
  }).map((button) =>
    `${button.textContent?.trim().slice(0, 60)}: ${button.outerHTML.slice(0, 120)}`
  );
}
