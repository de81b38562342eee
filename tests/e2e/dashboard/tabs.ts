import type { Page } from "playwright-core";
import { type DashboardFixture, type Look, untilShown, type Who } from "./dashboard_fixture.ts";

/** Browser tabs that go from page to page. */
export interface Tabs extends AsyncDisposable {
  /** Opens a path for a person. Disposing the look returns its tab for the person's next one. */
  look(path: string, who: Who): Promise<Look>;
  /** Opens a path for a signed-in person as a link does, with what was loaded before. */
  goOn(path: string, who: Who): Promise<Look>;
}

/** What is there shows nothing of the page before. */
const ASIDE = "/no-such-page";

/** Opens tabs as they are needed: a page comes much sooner in one that has shown another before. */
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
  // Tab goes on from where it was: that is before the first element of a new page.
  await page.evaluate(() => {
    const first = document.createElement("button");
    document.body.prepend(first);
    first.focus();
    first.remove();
  });
}
