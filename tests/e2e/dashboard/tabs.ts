import type { Page } from "playwright-core";
import { type DashboardFixture, type Look, untilShown, type Who } from "./dashboard_fixture.ts";

/** Browser tabs that are reused for several pages. */
export interface Tabs extends AsyncDisposable {
  /** Opens a path for a person. Disposing the look returns its tab for the person's next one. */
  look(path: string, who: Who): Promise<Look>;
  /** Opens a path for a signed-in person as a link does, with the loaded application. */
  goOn(path: string, who: Who): Promise<Look>;
}

/** A path that shows nothing of the last page. */
const ASIDE = "/no-such-page";

/** Opens tabs as needed: a page loads much faster in a tab that has shown another page. */
export function openTabs(fixture: Pick<DashboardFixture, "look" | "url">): Tabs {
  const opened = new AsyncDisposableStack();
  const free = new Map<Who, Look[]>();

  async function take(
    path: string,
    who: Who,
    go: (page: Page, path: string) => Promise<unknown>,
  ): Promise<Look> {
    let tab = free.get(who)?.pop();
    if (tab === undefined) tab = opened.use(await fixture.look(path, { who }));
    else await go(tab.page, path);
    return borrowed(tab, () => free.set(who, [...free.get(who) ?? [], tab]));
  }

  return {
    look: (path, who) => take(path, who, (page) => page.goto(`${fixture.url}${path}`)),
    goOn: (path, who) => take(path, who, goInside),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Lends a tab; it stays as it was. */
function borrowed({ page, faults }: Look, giveBack: () => void): Look {
  const size = page.viewportSize();
  return {
    ...{ page, faults },
    async [Symbol.asyncDispose]() {
      await page.unrouteAll();
      await page.emulateMedia({ colorScheme: "light" });
      if (size !== null) await page.setViewportSize(size);
      faults.length = 0;
      giveBack();
    },
  };
}

async function goInside(page: Page, path: string): Promise<void> {
  for (const next of [ASIDE, path]) {
    await page.evaluate((path) => {
      const here = location.pathname.replace(/^\/a\/[^/]+/, "") + location.search;
      if (path === here) return;
      for (const heading of document.querySelectorAll("h1")) heading.dataset["left"] = "";
      history.pushState(null, "", path);
    }, next);
    await page.locator("h1[data-left]").waitFor({ state: "detached" });
    await untilShown(page);
  }
  // Tab continues from its last position: that is before the first element of a new page.
  await page.evaluate(() => {
    const first = document.createElement("button");
    document.body.prepend(first);
    first.focus();
    first.remove();
  });
}
