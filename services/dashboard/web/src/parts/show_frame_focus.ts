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
  // Only afterwards is the new focus known.
  addEventListener("blur", () => setTimeout(mark));
  addEventListener("focus", () => setTimeout(mark));
  document.addEventListener("focusin", mark);
}
