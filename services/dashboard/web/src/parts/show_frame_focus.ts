/**
 * Marks the frame that the keyboard is in with `data-has-focus`, for the style sheet: to the page around
 * it, nothing has the focus then, and `:focus` does not hold.
 */
export function showFrameFocus(): void {
  const mark = () => {
    for (const frame of document.querySelectorAll("iframe[data-has-focus]")) {
      frame.removeAttribute("data-has-focus");
    }
    const { activeElement } = document;
    if (activeElement instanceof HTMLIFrameElement) activeElement.dataset["hasFocus"] = "";
  };
  // Only once it has happened can it be seen where it went.
  addEventListener("blur", () => setTimeout(mark));
  addEventListener("focus", () => setTimeout(mark));
  document.addEventListener("focusin", mark);
}
