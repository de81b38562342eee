import { randomUUID } from "node:crypto";
import type { TemplateKind, Variables } from "@posthaste/contracts";
import type { AccountOfSystem } from "./system.ts";

/** What a program does with the templates and files of an account, by `/manage/v1`. */
export interface TemplateManager {
  /** Keeps a file under a name, and returns the SHA-256 of its bytes. */
  put(name: string, bytes: Uint8Array, contentType: string): Promise<string>;
  /** Publishes a new template, and returns its id. `source` replaces parts of an empty draft. */
  publish(kind: TemplateKind, source: object): Promise<number>;
  /** Publishes one of the examples as it is. */
  publishExample(kind: TemplateKind, example: string): Promise<PublishedExample>;
}

/** A published example. */
export interface PublishedExample {
  id: number;
  /** Values for its variables. */
  sample: Variables;
}

interface Draft {
  id: number;
  revision: number;
  draft: { sample?: Variables };
}

/** Opens an account of a system that has a dashboard, by a token of its own. */
export async function manageTemplates(
  { store, accountId, stack }: Pick<AccountOfSystem, "store" | "accountId" | "stack">,
): Promise<TemplateManager> {
  const { token } = await store.tokens.create({
    ...{ accountId, name: "CI", scopes: ["manage:templates"] },
  });
  async function ask<T>(method: string, path: string, body: Uint8Array | object, type?: string) {
    const response = await fetch(`${stack.dashboardUrl}/manage/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": type ?? "application/json",
      },
      body: type === undefined ? JSON.stringify(body) : body as Uint8Array<ArrayBuffer>,
    });
    if (response.ok) return await response.json() as T;
    throw new Error(`Cannot ${method} ${path}: ${response.status} ${await response.text()}`);
  }
  return {
    put: async (name, bytes, contentType) =>
      (await ask<{ sha256: string }>("PUT", `/assets/${name}`, bytes, contentType)).sha256,
    async publish(kind, source) {
      const made = await ask<Draft>("POST", `/templates/${kind}`, {
        name: `Pictured ${randomUUID()}`,
      });
      const path = `/templates/${kind}/${made.id}`;
      const { revision } = await ask<Draft>("PUT", `${path}/draft`, {
        revision: made.revision,
        source: { ...made.draft, variables: [], ...source },
      });
      await ask("POST", `${path}/publish`, { revision });
      return made.id;
    },
    async publishExample(kind, example) {
      const path = `/templates/${kind}`;
      const name = `Example ${randomUUID()}`;
      const { id, revision, draft } = await ask<Draft>("POST", path, { name, example });
      await ask("POST", `${path}/${id}/publish`, { revision });
      return { id, sample: draft.sample ?? {} };
    },
  };
}
