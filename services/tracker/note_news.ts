import type { StatusEvent } from "@posthaste/messaging";
import type { Flow } from "./flow.ts";

/** Updates the flow from status events: attempts ended, came back, wait or were dropped, and mail was accepted. */
export function noteNews(flow: Flow, statusEvents: readonly StatusEvent[]): void {
  for (const { type, data } of statusEvents) {
    switch (type) {
      case "status.send.accepted":
        if (data.waits) flow.wake();
        break;
      case "status.message.sent":
      case "status.message.deferred":
      case "status.message.unknown":
        flow.end({ ...data, attempt: data.attempt - 1 });
        break;
      case "status.message.suppressed":
        flow.end({ ...data, attempt: data.attempt - 1 }, { wasTried: false });
        break;
      case "status.message.returned": {
        const { accountId, integrationId, insteadOf = integrationId, stage } = data;
        const attempt = { ...data, acceptedAt: new Date(data.acceptedAt) };
        const [used, own] = [`${accountId}/${integrationId}`, `${accountId}/${insteadOf}`];
        // A printer knows nothing of the server.
        flow.keepReturned(used, attempt, { isServerBusy: stage !== "pdf", own });
        break;
      }
      case "status.message.waiting":
        flow.postpone(data, Date.parse(data.nextAt) - Date.parse(data.at), data);
        break;
      case "status.message.dropped":
        flow.release(data);
        break;
      case "status.message.failed":
        // A failure outside of an attempt has the number of the attempts before it.
        if (data.stage !== "mailer") flow.end(data, { wasTried: false });
        else flow.end({ ...data, attempt: data.attempt - 1 });
        break;
    }
  }
}
