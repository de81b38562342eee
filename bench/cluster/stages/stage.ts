import type { ServiceName } from "@posthaste/dev";
import type { Invoice } from "../../workload.ts";

/** One stage of the way of a mail, and how it is measured alone. */
export interface Stage {
  name: "api" | "renderer" | "pdf" | "mailer" | "reconciler";
  /** The service whose processes are added. */
  role: ServiceName;
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
  /** Settings of the workers that differ from the product's. */
  settings?: Record<string, string>;
  /** What makes a worker wait, so that workers do not share two cores. */
  waiting: {
    units: number;
    settings: Record<string, string>;
    /** So much of one core for each worker. */
    cores: number;
    /** What else limits each worker, for the table. */
    beside?: string;
  };
}

/** All stages, in the order in which a mail meets them. */
export const STAGES: readonly Stage[] = [
  {
    name: "api",
    role: "api",
    unit: "request",
    feeders: [],
    consumers: [],
    invoice: "none",
    units: 1500,
    waiting: { units: 1200, settings: {}, cores: 0.25 },
  },
  {
    name: "renderer",
    role: "renderer",
    unit: "mail",
    feeders: ["api"],
    consumers: ofPriorities("RENDER", "renderer"),
    invoice: "none",
    units: 1200,
    waiting: {
      units: 400,
      settings: { SANDBOX_WORKERS: "1" },
      cores: 0.15,
      beside: "one sandbox worker",
    },
  },
  {
    name: "pdf",
    role: "pdf",
    unit: "PDF",
    feeders: ["api", "renderer"],
    consumers: ofPriorities("PRINT", "pdf"),
    invoice: "each",
    units: 150,
    waiting: {
      units: 60,
      settings: { PRINT_PAGES: "1" },
      cores: 0.25,
      beside: "one page",
    },
  },
  {
    name: "mailer",
    role: "mailer",
    unit: "mail",
    feeders: ["api", "renderer"],
    consumers: ofPriorities("MAIL", "mailer"),
    invoice: "none",
    units: 900,
    waiting: { units: 400, settings: {}, cores: 0.15 },
  },
  {
    name: "reconciler",
    role: "tracker",
    unit: "send",
    feeders: ["api"],
    consumers: [],
    invoice: "none",
    units: 3000,
    // Else what is measured is the pause between two looks.
    settings: { RECONCILE_INTERVAL: "100ms" },
    waiting: { units: 1000, settings: {}, cores: 0.1 },
  },
];

function ofPriorities(stream: string, name: string) {
  return ["transactional", "bulk"].map((priority) => ({ stream, name: `${name}_${priority}` }));
}
