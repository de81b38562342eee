import { attackAccounts } from "./accounts.ts";
import { attackChromium } from "./chromium.ts";
import { attackDashboard } from "./dashboard.ts";
import { attackHosts } from "./hosts.ts";
import { attackHttp } from "./http.ts";
import { attackMail } from "./mail.ts";
import { attackPrivileges } from "./privileges.ts";
import type { AttackRow } from "./row.ts";
import { attackSecrets } from "./secrets.ts";
import { attackSupply } from "./supply.ts";
import { attackTemplates } from "./templates.ts";

/** The options of an attack. */
export interface AttackOptions {
  /** Number of random attempts. */
  tries: number;
  seed: number;
  /** Called with a line about the progress. */
  onProgress?(line: string): void;
}

/** Attacks the product in one way, or several that belong together. */
export type Attack = (options: AttackOptions) => Promise<AttackRow[]>;

/** A part of the product that is attacked. */
export interface AttackPart {
  attack: Attack;
  /** Its share of the attempts: a page takes longer than a template. */
  share: number;
}

/** Every attack, by the part of `docs/security.md` that it tries. */
export const ATTACKS: Readonly<Record<string, AttackPart>> = {
  templates: { attack: attackTemplates, share: 1 },
  chromium: { attack: attackChromium, share: 0.03 },
  mail: { attack: attackMail, share: 0.1 },
  hosts: { attack: attackHosts, share: 1 },
  secrets: { attack: attackSecrets, share: 1 },
  accounts: { attack: attackAccounts, share: 0.5 },
  dashboard: { attack: attackDashboard, share: 0.2 },
  http: { attack: attackHttp, share: 0.2 },
  supply: { attack: attackSupply, share: 0.01 },
  privileges: { attack: attackPrivileges, share: 1 },
};
