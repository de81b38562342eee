import type { Desk, Look, Who } from "./desk.ts";

/** Browser tabs that go from page to page. */
export interface Tabs extends AsyncDisposable {
  /** Has somebody look at a path. Disposing the look leaves its tab to the next one of theirs. */
  look(path: string, who: Who): Promise<Look>;
}

/** Opens tabs as they are needed: a page comes much sooner in one that has shown another before. */
export function openTabs(desk: Pick<Desk, "look" | "url">): Tabs {
  const opened = new AsyncDisposableStack();
  const free = new Map<Who, Look[]>();

  async function take(path: string, who: Who): Promise<Look> {
    const tab = free.get(who)?.pop();
    if (tab === undefined) return opened.use(await desk.look(path, { who }));
    await tab.page.goto(`${desk.url}${path}`);
    return tab;
  }

  return {
    async look(path, who) {
      const tab = await take(path, who);
      const { page, faults } = tab;
      const size = page.viewportSize();
      return {
        ...{ page, faults },
        async [Symbol.asyncDispose]() {
          await page.unrouteAll();
          await page.emulateMedia({ colorScheme: "light" });
          if (size !== null) await page.setViewportSize(size);
          faults.length = 0;
          free.set(who, [...free.get(who) ?? [], tab]);
        },
      };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
