import { Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import { useEffect, useEffectEvent } from "react";
import { navigate } from "wouter/use-browser-location";
import { guardBack } from "./catch_back.ts";

/**
 * Asks before a page with unsaved changes is left: by closing the window, by a link of the
 * application, or by going back. The router has no means for it, so both are caught before the
 * router handles them.
 *
 * @param onLeave Called once the person wants to leave without saving.
 */
export function useUnsavedGuard(isUnsaved: boolean, onLeave: () => void = () => {}): void {
  const left = useEffectEvent(onLeave);
  useEffect(() => {
    if (!isUnsaved) return;
    const abort = new AbortController();
    const { signal } = abort;
    const ask = (leave: () => void) =>
      modals.openConfirmModal({
        title: "Leave without saving?",
        children: <Text size="sm">Your unsaved changes will be lost.</Text>,
        labels: { confirm: "Leave without saving", cancel: "Stay" },
        confirmProps: { color: "red" },
        onConfirm: () => {
          abort.abort();
          left();
          leave();
        },
      });
    addEventListener("beforeunload", (event) => event.preventDefault(), { signal });
    document.addEventListener("click", (event) => {
      const target = pageOf(event);
      if (target === null) return;
      event.preventDefault();
      event.stopPropagation();
      ask(() => navigate(target));
    }, { capture: true, signal });
    signal.addEventListener("abort", guardBack(ask));
    return () => abort.abort();
  }, [isUnsaved]);
}

/** Returns the page of this application that a click leads to in this window, if it is another one. */
function pageOf(event: MouseEvent): string | null {
  const { button, ctrlKey, metaKey, shiftKey, altKey, target, defaultPrevented } = event;
  if (defaultPrevented || button !== 0 || ctrlKey || metaKey || shiftKey || altKey) return null;
  const link = target instanceof Element ? target.closest("a[href]") : null;
  if (!(link instanceof HTMLAnchorElement) || link.hasAttribute("download")) return null;
  if (link.target !== "" && link.target !== "_self") return null;
  const { origin, pathname, search } = new URL(link.href);
  if (origin !== location.origin || pathname === location.pathname) return null;
  return pathname + search;
}
