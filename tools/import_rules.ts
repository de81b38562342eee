/**
 * Who may import whom. A unit is a folder with a `package.json`, or `tools`; the keys are its name
 * (`libs/messaging`) or, for all that have no line of their own, its group (`services`).
 */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "libs/contracts": [],
  "libs/delivery": [],
  "libs/telemetry": [],
  "libs/messaging": ["contracts", "telemetry", "runtime", "limits"],
  "libs/storage": ["contracts", "delivery", "telemetry", "runtime"],
  "libs/templating": ["contracts", "telemetry"],
  "libs/runtime": ["telemetry"],
  "libs/limits": [],
  "libs/bundle": ["contracts", "templating"],
  "libs/http": ["contracts", "runtime", "limits"],
  "libs/egress": ["limits"],
  "libs/smtp": ["egress"],
  "libs/fetching": ["egress"],
  "libs/assets": ["fetching"],
  "libs/embedded": [],
  "tests/kit": [
    "contracts",
    "delivery",
    "telemetry",
    "messaging",
    "storage",
    "templating",
    "runtime",
    "embedded",
  ],
  // The pdf service reaches the broker only: no database, no templates.
  "services/pdf": ["contracts", "telemetry", "messaging", "runtime", "limits", "assets"],
  "services": [
    "assets",
    "bundle",
    "contracts",
    "delivery",
    "telemetry",
    "messaging",
    "storage",
    "templating",
    "runtime",
    "egress",
    "fetching",
    "http",
    "limits",
    "smtp",
  ],
  "cli": [
    "assets",
    "bundle",
    "contracts",
    "telemetry",
    "messaging",
    "storage",
    "templating",
    "runtime",
    "egress",
  ],
  // Published by itself: it imports nothing.
  "client": [],
  "dev": ["*"],
  "tests": ["*"],
  "bench": ["*"],
  "deploy": ["*"],
  "tools": ["*"],
};

/** What a test may import beside what its unit may. */
export const TESTS_MAY_IMPORT = ["kit", "embedded", "client"] as const;

/** Third-party packages that enter through some units only; a `*` at the end stands for any rest. */
export const DOORS: readonly { packages: readonly string[]; units: readonly string[] }[] = [
  { packages: ["@nats-io/*"], units: ["libs/messaging"] },
  // A started server becomes a replica set by a command that only the driver can send.
  { packages: ["mongodb"], units: ["libs/storage", "libs/embedded"] },
  { packages: ["mongodb-memory-server*"], units: ["libs/embedded"] },
  { packages: ["@opentelemetry/api"], units: ["*"] },
  { packages: ["@opentelemetry/*", "sonic-boom", "pino"], units: ["libs/telemetry"] },
  {
    packages: ["fastify", "@fastify/*"],
    units: ["libs/http", "services/api", "services/dashboard"],
  },
  { packages: ["handlebars", "mjml*", "juice", "html-to-text"], units: ["libs/templating"] },
  { packages: ["playwright-core", "@sparticuz/chromium"], units: ["services/pdf"] },
  {
    packages: ["react*", "@mantine/*", "@codemirror/*", "vite", "recharts", "pdfjs-dist"],
    units: ["services/dashboard"],
  },
  { packages: ["nodemailer"], units: ["services/mailer"] },
  { packages: ["ipaddr.js"], units: ["libs/egress"] },
  { packages: ["smtp-server"], units: ["tests/kit", "dev"] },
  // The mailer's tests read its mail with independent parsers.
  { packages: ["mailparser", "postal-mime"], units: ["tests/kit", "dev", "services/mailer"] },
];

/**
 * Units outside of the product that may import every package, to build a control or to inspect a server from
 * outside. Their imports must still be declared.
 */
export const DOORS_OPEN_TO = ["bench", "tests/e2e", "tests/chaos", "tests/security"] as const;

/**
 * Functions that only some units, and tests, may name, even if others may import their library. A password is
 * opened where it is used: in the mailer, and the secret of an endpoint in the webhooks service; the security
 * tests try to open foreign secrets.
 */
export const RESERVED: readonly { name: string; units: readonly string[] }[] = [
  {
    name: "openSecret",
    units: ["libs/storage", "services/mailer", "services/webhooks", "tests/security"],
  },
];
