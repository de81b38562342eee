import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";

/** The folder that a browser uses while it runs. */
export interface BrowserProfile {
  folder: string;
  /** Arguments for `_browser.sh`, if another user than the service's runs the browser; otherwise empty. */
  env: Record<string, string>;
  remove(): Promise<void>;
}

/** Makes a folder in `home` for a browser. */
export async function openProfile(
  { home, user }: { home: string; user?: number | undefined },
): Promise<BrowserProfile> {
  const folder = await mkdtemp(join(home, "profile-"));
  return {
    folder,
    env: user === undefined
      ? {}
      : { BROWSER_USER: String(user), BROWSER_PROFILE: folder, HOME: folder },
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}
