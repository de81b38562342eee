import { Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import { useEffect } from "react";
import { navigate } from "wouter/use-browser-location";

/** Asks before a page is left on which something was typed and not saved. */
export function useUnsavedGuard(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return;
    const onLeave = (event: BeforeUnloadEvent) => event.preventDefault();
    const onClick = (event: MouseEvent) => {
      if (!(event.target instanceof Element) || event.ctrlKey || event.metaKey) return;
      const link = event.target.closest("a[href]");
      const href = link?.getAttribute("href") ?? "";
      if (!href.startsWith("/") || link?.getAttribute("target") === "_blank") return;
      event.preventDefault();
      event.stopPropagation();
      modals.openConfirmModal({
        title: "Leave without saving?",
        children: <Text size="sm">What you changed on this page will be lost.</Text>,
        labels: { confirm: "Leave", cancel: "Stay" },
        confirmProps: { color: "red" },
        onConfirm: () => navigate(href),
      });
    };
    globalThis.addEventListener("beforeunload", onLeave);
    document.addEventListener("click", onClick, { capture: true });
    return () => {
      globalThis.removeEventListener("beforeunload", onLeave);
      document.removeEventListener("click", onClick, { capture: true });
    };
  }, [isDirty]);
}
