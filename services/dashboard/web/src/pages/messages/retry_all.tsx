import { Button, Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import { TbRefresh } from "react-icons/tb";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { BulkRetried, BulkRetry } from "../../../../interface/messages.ts";
import { request } from "../../api.ts";
import { showDone, showError } from "../../parts/show_outcome.ts";
import { useMay } from "../../session.tsx";

const ENDED = {
  ...{ one: "Send again", askOne: "Send this message again?" },
  ...{ all: "Send all again", ask: "Send all of these again?" },
};
const DEFERRED = {
  ...{ one: "Retry now", askOne: "Retry this message now?" },
  ...{ all: "Retry all now", ask: "Retry all of these now?" },
};

/** A button that retries all messages with one cause, 1000 at a time. */
export function RetryAll({ cause, count }: {
  cause: BulkRetry;
  /** How many there are, if known. */
  count?: number;
}) {
  const may = useMay("editor");
  const client = useQueryClient();
  const retry = useMutation({
    mutationFn: () => request<BulkRetried>("/messages/retry", { method: "POST", body: cause }),
    onSuccess: (done) => {
      showDone(sentenceOf(done));
      void client.invalidateQueries({ queryKey: ["messages"] });
    },
    onError: showError,
  });
  if (!may) return null;
  const isOne = count === 1;
  const words = cause.state === "deferred" ? DEFERRED : ENDED;
  const ask = () =>
    modals.openConfirmModal({
      title: isOne ? words.askOne : words.ask,
      children: <Text size="sm">{warningOf(cause, isOne)}</Text>,
      labels: { confirm: words.one, cancel: isOne ? "Keep it" : "Keep them" },
      onConfirm: () => retry.mutate(),
    });
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<TbRefresh size={14} aria-hidden />}
      loading={retry.isPending}
      onClick={ask}
    >
      {isOne ? words.one : words.all}
    </Button>
  );
}

function warningOf({ state }: BulkRetry, isOne: boolean): string {
  if (state === "unknown") {
    return isOne
      ? "The server may have accepted it already. The recipient may get it twice."
      : "The server may have accepted some of them already. Those recipients may get the message twice.";
  }
  return isOne
    ? "It is sent now, with the same template version and variables."
    : "They are sent now, with the same template version and variables; at most 1,000 at a time.";
}

function sentenceOf({ retried, withoutContent, remaining }: BulkRetried): string {
  const what = retried === 1
    ? "1 message is being sent again"
    : `${retried} messages are being sent again`;
  const gone = withoutContent > 0 ? `; the content of ${withoutContent} is no longer kept` : "";
  const rest = remaining > 0 ? `; ${remaining} remain` : "";
  return `${what}${gone}${rest}`;
}
