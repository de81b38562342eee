import { newId, webhookSettingsSchema } from "@posthaste/contracts";
import type { Stack } from "@posthaste/dev";
import { readMasterKeys, sealingKeyOf, sealSecret, WEBHOOK_SECRET } from "@posthaste/storage";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { AccountOfSystem } from "./system.ts";

/** A customer's endpoint, which accepts every event. */
export interface WebhookEndpoint extends AsyncDisposable {
  /** The requests so far. */
  readonly heard: readonly { headers: IncomingHttpHeaders; body: string }[];
  /** Signs its requests. */
  readonly key: Buffer;
}

/** An account of a system whose key for the secrets of endpoints is known. */
interface WebhookAccount extends Pick<AccountOfSystem, "store" | "accountId"> {
  stack: Pick<Stack, "webhookKey">;
}

/** Opens an endpoint that gets all events of the system's account, with addresses. */
export async function openWebhookEndpoint(
  { store, accountId, stack }: WebhookAccount,
): Promise<WebhookEndpoint> {
  const heard: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request)).toString();
    heard.push({ headers: request.headers, body });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  const key = Buffer.alloc(32, 5);
  const _id = newId("whk");
  const secret = sealSecret(`whsec_${key.toString("base64")}`, {
    ...{ accountId, recordId: _id, field: WEBHOOK_SECRET },
    key: sealingKeyOf(readMasterKeys(stack.webhookKey)),
  });
  await store.webhooks.create({
    ...{ _id, accountId, at: new Date(), secret },
    ...webhookSettingsSchema.parse({ url, withAddress: true }),
  });
  return {
    heard,
    key,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
