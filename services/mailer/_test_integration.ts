import type { Integration } from "@posthaste/contracts";

/** An integration without a login. */
export function integrationOf(changes: Partial<Integration> = {}): Integration {
  return {
    _id: "acc_1/4",
    accountId: "acc_1",
    id: 4,
    name: "Shop",
    revision: 1,
    host: "smtp.example.com",
    port: 587,
    tls: "starttls",
    ca: null,
    allowInvalidCertificate: false,
    auth: null,
    senders: ["shop@example.com"],
    maxConnections: 5,
    maxPerMinute: null,
    suspended: null,
    dkim: null,
    archivedAt: null,
    retryForMs: 48 * 3_600_000,
    whenUnknown: "retry",
    fallbacks: [],
    createdAt: new Date(0),
    updatedAt: new Date(0),
    ...changes,
  };
}
