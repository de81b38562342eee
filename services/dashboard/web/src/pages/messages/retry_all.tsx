import { Button, Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import { IconRefresh } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { BulkRetried, BulkRetry } from "../../../../interface/messages.ts";
import { request } from "../../api.ts";
import { tellDone, tellProblem } from "../../parts/tell.ts";
import { useMay } from "../../session.tsx";

/** A button that has all messages with one cause sent again, 1000 at a time. */
export function RetryAll({ cause }: { cause: BulkRetry }) {
  const may = useMay("editor");
  const client = useQueryClient();
  const retry = useMutation({
    mutationFn: () => request<BulkRetried>("/messages/retry", { method: "POST", body: cause }),
    onSuccess: (done) => {
      tellDone(sentenceOf(done));
      void client.invalidateQueries({ queryKey: ["messages"] });
    },
    onError: tellProblem,
  });
  if (!may) return null;
  const ask = () =>
    modals.openConfirmModal({
      title: "Send all of these again?",
      children: (
        <Text size="sm">
          {cause.state === "unknown"
            ? "The server may have taken some of them already: their recipients may get them twice."
            : "They are sent with the same template version and variables, now; at most 1000 at once."}
        </Text>
      ),
      labels: { confirm: "Send again", cancel: "Leave them" },
      onConfirm: () => retry.mutate(),
    });
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconRefresh size={14} aria-hidden />}
      loading={retry.isPending}
      onClick={ask}
    >
      Retry all of these
    </Button>
  );
}

function sentenceOf({ retried, withoutContent, remaining }: BulkRetried): string {
  const what = retried === 1 ? "1 is sent again now" : `${retried} are sent again now`;
  const gone = withoutContent > 0 ? `; the content of ${withoutContent} is no longer kept` : "";
  const rest = remaining > 0 ? `; ${remaining >= 1000 ? "1000 or more" : remaining} remain` : "";
  return `${what}${gone}${rest}`;
}
