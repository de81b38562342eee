import { Button, Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import { TbRefresh } from "react-icons/tb";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { BulkRetried, BulkRetry } from "../../../../interface/messages.ts";
import { request } from "../../api.ts";
import { showDone, showProblem } from "../../parts/show_outcome.ts";
import { useMay } from "../../session.tsx";

const ENDED = {
  ...{ one: "Send again", askOne: "Send this mail again?" },
  ...{ all: "Send all again", ask: "Send all of these again?" },
};
const DEFERRED = {
  ...{ one: "Try now", askOne: "Try this mail now?" },
  ...{ all: "Try all now", ask: "Try all of these now?" },
};

/** A button that has all messages with one cause sent again, 1000 at a time. */
export function RetryAll({ cause, count }: {
  cause: BulkRetry;
  /** How many there are, where it is known. */
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
    onError: showProblem,
  });
  if (!may) return null;
  const isOne = count === 1;
  const words = cause.state === "deferred" ? DEFERRED : ENDED;
  const ask = () =>
    modals.openConfirmModal({
      title: isOne ? words.askOne : words.ask,
      children: <Text size="sm">{warningOf(cause, isOne)}</Text>,
      labels: { confirm: words.one, cancel: isOne ? "Leave it" : "Leave them" },
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
      ? "The server may have taken it already: the recipient may then get it twice."
      : "The server may have taken some of them already: their recipients may get them twice.";
  }
  return isOne
    ? "It is sent with the same template version and variables, now."
    : "They are sent with the same template version and variables, now; at most 1000 at once.";
}

function sentenceOf({ retried, withoutContent, remaining }: BulkRetried): string {
  const what = retried === 1 ? "1 is sent again now" : `${retried} are sent again now`;
  const gone = withoutContent > 0 ? `; the content of ${withoutContent} is no longer kept` : "";
  const rest = remaining > 0 ? `; ${remaining >= 1000 ? "1000 or more" : remaining} remain` : "";
  return `${what}${gone}${rest}`;
}
