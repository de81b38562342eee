import type { Fault } from "../fault.ts";
import { clearFaults, doubtfulFaults } from "../smtp_fault.ts";

/** What a receiving server does wrong. */
export const SMTP: Fault[] = [
  {
    name: "smtp-refusals",
    description: "Refusals, cuts and slow replies at every stage from the connection to QUIT",
    secure: true,
    smtp: clearFaults(0.012),
  },
  {
    name: "smtp-doubt",
    description: "Connections cut after the final dot, with the mail taken or lost",
    doubtful: true,
    smtp: doubtfulFaults(0.05),
  },
  {
    name: "smtp-doubt-hold",
    description: "The same for an integration that holds what nobody can know: none twice",
    whenUnknown: "hold",
    smtp: doubtfulFaults(0.05),
  },
];
