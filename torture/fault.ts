import type { ServiceName } from "@posthaste/dev";
import type { RunAccount } from "./account.ts";
import type { Mix } from "./orders.ts";
import type { Settings } from "./pods.ts";
import type { Random } from "./random.ts";
import type { Rig } from "./rig.ts";
import type { SmtpFault } from "./smtp_fault.ts";

/** What a fault has to work with. */
export interface Chaos {
  rig: Rig;
  account: RunAccount;
  random: Random;
  /** Aborts when the client has all its answers, or the time is up. */
  signal: AbortSignal;
  /** Counts one injected fault; `crash` where a process was ended, and which or where. */
  count(kind: "crash" | "other", what: string): void;
  /** Waits in milliseconds; gives false when the run is over. */
  pause(ms: number): Promise<boolean>;
}

/** One kind of harm, done to a running system. */
export interface Fault {
  name: string;
  /** One sentence for the table's readers. */
  description: string;
  /** More settings of the services. */
  settings?: Partial<Record<ServiceName, Settings>>;
  /** What the receiving server does wrong meanwhile. */
  smtp?: SmtpFault[];
  /** Whether that server asks for STARTTLS and a login. */
  secure?: boolean;
  /** How long that server thinks about a mail, on average, in milliseconds. @default {5} */
  thinksMs?: number;
  whenUnknown?: "retry" | "hold";
  mix?: Mix;
  /** Whether requests may stay unanswered, since the interface itself is ended. */
  unanswered?: boolean;
  /** Whether a mailer can be in doubt; where it cannot, no mail may come twice. */
  doubtful?: boolean;
  /** How much of the mails and the time it gets, compared with others. @default {1} */
  weight?: number;
  /** Does harm until the signal aborts, and leaves all that it ended running again. */
  run?(chaos: Chaos): Promise<void>;
}
