import type { ServiceName } from "@posthaste/dev";
import type { Invoice } from "../../workload.ts";

/** One stage of the way of a mail, and how it is measured alone. */
export interface Stage {
  /** The service whose processes are added. */
  name: "api" | "renderer" | "pdf" | "mailer";
  /** What its work is counted in. */
  unit: string;
  /** Services that prepare its work, one process each. */
  feeders: readonly ServiceName[];
  /** Consumers that are held while its work is prepared, by stream. */
  consumers: readonly { stream: string; name: string }[];
  /** Which PDFs the mails have. */
  invoice: Invoice;
  /** Units of one measurement with all of the machine. */
  units: number;
  /** What makes a worker wait, so that workers do not share two cores. */
  waiting: {
    units: number;
    settings: Record<string, string>;
    /** What else limits each worker, for the table. */
    beside?: string;
  };
}

/**
 * The stages whose processes share their work, in the order in which a mail meets them. The tracker is not among
 * them: one of its processes leads, and does nearly all of the work.
 */
export const STAGES: readonly Stage[] = [
  {
    name: "api",
    unit: "request",
    feeders: [],
    consumers: [],
    invoice: "none",
    units: 1500,
    waiting: { units: 1200, settings: {} },
  },
  {
    name: "renderer",
    unit: "mail",
    feeders: ["api"],
    consumers: ofPriorities("RENDER", "renderer"),
    invoice: "none",
    units: 1200,
    waiting: {
      units: 400,
      settings: { SANDBOX_WORKERS: "1" },
      beside: "one sandbox worker",
    },
  },
  {
    name: "pdf",
    unit: "PDF",
    feeders: ["api", "renderer"],
    consumers: ofPriorities("PRINT", "pdf"),
    invoice: "each",
    units: 150,
    waiting: {
      units: 60,
      settings: { PRINT_PAGES: "1" },
      beside: "one page",
    },
  },
  {
    name: "mailer",
    unit: "mail",
    feeders: ["api", "renderer"],
    consumers: ofPriorities("MAIL", "mailer"),
    invoice: "none",
    units: 900,
    waiting: { units: 400, settings: {} },
  },
];

function ofPriorities(stream: string, name: string) {
  return ["transactional", "bulk"].map((priority) => ({ stream, name: `${name}_${priority}` }));
}
