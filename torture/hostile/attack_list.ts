import { attackAccounts } from "./accounts.ts";
import { attackChromium } from "./chromium.ts";
import { attackHosts } from "./hosts.ts";
import { attackHttp } from "./http.ts";
import { attackMail } from "./mail.ts";
import { attackPrivileges } from "./privileges.ts";
import type { HostileRow } from "./row.ts";
import { attackSecrets } from "./secrets.ts";
import { attackTemplates } from "./templates.ts";

/** How an attack is done. */
export interface AttackOptions {
  /** How often what is drawn is tried. */
  tries: number;
  seed: number;
  /** Told in a line how it goes. */
  onProgress?(line: string): void;
}

/** Attacks the product in one way, or several that belong together. */
export type Attack = (options: AttackOptions) => Promise<HostileRow[]>;

/** Every attack, by the part of `docs/security.md` that it tries. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  templates: attackTemplates,
  chromium: attackChromium,
  mail: attackMail,
  hosts: attackHosts,
  secrets: attackSecrets,
  accounts: attackAccounts,
  http: attackHttp,
  privileges: attackPrivileges,
};
