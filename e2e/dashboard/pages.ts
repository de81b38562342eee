import type { SeedIds } from "./seed.ts";

/** A page that is looked at in tests, and of which pictures are taken. */
export interface PageToSee {
  /** Name of its pictures. */
  name: string;
  /** Where it is, once the seed is there. */
  path: string | ((seed: SeedIds) => string);
  /** Whether it is shown to who is signed out. @default {false} */
  isSignedOut?: boolean;
}

/** Every page of the dashboard. A new one belongs here. */
export const PAGES: readonly PageToSee[] = [
  { name: "entrance", path: "/", isSignedOut: true },
  { name: "overview", path: "/" },
  { name: "messages", path: "/messages" },
  { name: "email-templates", path: "/email-templates" },
  { name: "pdf-templates", path: "/pdf-templates" },
  { name: "integrations", path: "/integrations" },
  { name: "tokens", path: "/tokens" },
  { name: "settings", path: "/settings" },
  { name: "nothing-here", path: "/no-such-page" },
];

/** Gives the path of a page. */
export function pathOf({ path }: PageToSee, seed: SeedIds): string {
  return typeof path === "string" ? path : path(seed);
}
