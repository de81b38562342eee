import {
  bindPassword,
  readMasterKeys,
  sealingKeyOf,
  sealSecret,
  type Store,
} from "@posthaste/storage";
import { MASTER_KEY } from "./pods.ts";
import { publishEmail, publishPdf } from "@posthaste/templating";
import { pageOptionsSchema } from "@posthaste/contracts";

/** Address in `from`. */
export const SENDER = "shop@sender.example";

/** An account with all that a run needs. */
export interface RunAccount {
  accountId: string;
  token: string;
  path: string;
  pdfId: number;
  integrationId: number;
  /** Publishes another version of the email template: mail that is accepted keeps its own. */
  edit(): Promise<void>;
}

/** What the account's mail goes through. */
export interface AccountOptions {
  run: string;
  sinkPort: number;
  connections: number;
  whenUnknown: "retry" | "hold";
  /** Who logs in, after STARTTLS; nobody, and in the clear, without it. */
  user: { name: string; password: string } | undefined;
}

/** Subject of a mail by the version of the template and the recipient's number. */
export const SUBJECT = /^Torture (\d+) to n(\d+)$/;

/** Makes an account with templates and an integration. */
export async function makeAccount(store: Store, options: AccountOptions): Promise<RunAccount> {
  const { run, sinkPort, connections, whenUnknown, user } = options;
  const { _id: accountId } = await store.createAccount({ name: run });
  const { token } = await store.createToken({
    accountId,
    name: run,
    scopes: ["render", "send", "read"],
  });
  let edition = 0;
  const edit = async () => {
    edition++;
    const source = {
      subject: `Torture ${edition} to n{{ n }}`,
      html: `<h1>Edition ${edition}</h1><p>Number {{ n }}</p>${"<p>Some text.</p>".repeat(40)}`,
    };
    const { subject, html, text } = await publishEmail(source);
    await store.publishVersion({
      accountId,
      kind: "email",
      alias: "torture",
      name: "Torture",
      source,
      parts: { subject, html, text },
      variables: [{ name: "n", required: true }],
      sourceHash: `${run}/${edition}`,
    });
  };
  await edit();
  const pdf = publishPdf({ html: "<h1>For {{ of }}</h1><p>One page.</p>" });
  const { template } = await store.publishVersion({
    accountId,
    kind: "pdf",
    name: "PDF",
    source: { html: pdf.html },
    parts: { html: pdf.html, filename: "file.pdf" },
    page: pageOptionsSchema.parse({}),
    variables: [],
    sourceHash: run,
  });
  const { id } = await store.createIntegration({
    accountId,
    name: "sink",
    host: "127.0.0.1",
    port: sinkPort,
    tls: user === undefined ? "none" : "starttls",
    auth: user === undefined ? null : (recordId) => ({
      user: user.name,
      password: sealSecret(user.password, {
        ...bindPassword({ accountId, recordId, host: "127.0.0.1", port: sinkPort }),
        key: sealingKeyOf(readMasterKeys(MASTER_KEY)),
      }),
      method: null,
    }),
    senders: [SENDER],
    maxConnections: connections,
    whenUnknown,
  });
  return {
    accountId,
    token,
    path: `/templates/torture/send/${id}`,
    pdfId: template.id,
    integrationId: id,
    edit,
  };
}
