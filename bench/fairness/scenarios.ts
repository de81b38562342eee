import type { Behaviour } from "./noisy_server.ts";

/** What a noisy account does, and what is measured of a healthy one meanwhile. */
export interface Scenario {
  name: string;
  server: Behaviour;
  /** SMTP servers of the noisy account. @default {1} */
  servers?: number;
  /** Messages that the noisy account queues. */
  messages: number;
  recipientsPerRequest: number;
  /** Whether the noisy account's mails have a PDF of three pages each. */
  noisyPdfs: boolean;
  /** Whether the healthy account's mails have a PDF of one page. */
  healthyPdfs: boolean;
}

const SHAPES = [
  { shape: "1,000 recipients", recipientsPerRequest: 1000 },
  { shape: "single", recipientsPerRequest: 1 },
] as const;

const SERVERS = [
  { server: "refused", name: "dead server, refused" },
  { server: "silent", name: "dead server, silent" },
  { server: "slow", name: "server that takes 5 s" },
] as const;

/** All scenarios: four kinds of servers, then PDFs; each as large requests and as single ones. */
export const SCENARIOS: readonly Scenario[] = [
  ...SERVERS.flatMap(({ server, name }) =>
    SHAPES.map(({ shape, recipientsPerRequest }) => ({
      name: `${name} (${shape})`,
      server,
      messages: 20_000,
      recipientsPerRequest,
      noisyPdfs: false,
      healthyPdfs: false,
    }))
  ),
  ...SHAPES.map(({ shape, recipientsPerRequest }) => ({
    name: `100 servers that never answer the dot (${shape})`,
    server: "mute" as const,
    servers: 100,
    messages: recipientsPerRequest === 1 ? 4000 : 100_000,
    recipientsPerRequest,
    noisyPdfs: false,
    healthyPdfs: false,
  })),
  ...[false, true].flatMap((healthyPdfs) =>
    SHAPES.map(({ shape, recipientsPerRequest }) => ({
      name: `three-page PDFs (${shape})${healthyPdfs ? ", own PDF" : ""}`,
      server: "fast" as const,
      messages: 2000,
      recipientsPerRequest,
      noisyPdfs: true,
      healthyPdfs,
    }))
  ),
];
