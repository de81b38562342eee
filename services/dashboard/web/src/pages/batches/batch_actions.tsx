import { Button, Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import { TbBan, TbCheck } from "react-icons/tb";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { BatchRow, BatchView } from "../../../../interface/batches.ts";
import { request } from "../../api.ts";
import { showDone, showError } from "../../parts/show_outcome.ts";
import { useMay } from "../../session.tsx";
import { countText } from "../../parts/count_text.ts";

/** Closes or cancels a batch, after a question. */
export function BatchActions({ batch }: { batch: BatchView }) {
  const { id, state, isSettled } = batch;
  const may = useMay("editor");
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: (verb: "close" | "cancel") =>
      request<BatchRow>(`/batches/${id}/${verb}`, { method: "POST" }),
    onSuccess: (_, verb) => {
      showDone(verb === "close" ? "The batch is closed" : "The batch is canceled");
    },
    onError: showError,
    onSettled: () => void client.invalidateQueries({ queryKey: ["batches"] }),
  });
  if (!may || state === "canceled" || isSettled) return null;
  return (
    <>
      {state === "open" && (
        <Button
          leftSection={<TbCheck size={16} />}
          loading={isPending}
          onClick={() =>
            modals.openConfirmModal({
              title: "Close this batch?",
              children: <Text size="sm">{closingText(batch)}</Text>,
              labels: { confirm: "Close batch", cancel: "Keep it open" },
              closeButtonProps: { "aria-label": "Close" },
              onConfirm: () => mutate("close"),
            })}
        >
          Close batch
        </Button>
      )}
      <Button
        variant="default"
        leftSection={<TbBan size={16} />}
        loading={isPending}
        onClick={() =>
          modals.openConfirmModal({
            title: "Cancel this batch?",
            children: (
              <Text size="sm">
                It takes no more recipients, and messages that are not sent yet will be canceled.
                This cannot be undone.
              </Text>
            ),
            labels: { confirm: "Cancel batch", cancel: "Keep it" },
            confirmProps: { color: "red" },
            closeButtonProps: { "aria-label": "Close" },
            onConfirm: () => mutate("cancel"),
          })}
      >
        Cancel batch
      </Button>
    </>
  );
}

function closingText({ start, sendAt, recipients }: BatchView): string {
  const rest = "Nobody can be added to it afterwards.";
  if (start === "now") return rest;
  const mail = `The mail of ${countText(recipients, "recipient", "recipients")} leaves`;
  const isLater = sendAt !== null && new Date(sendAt) > new Date();
  return `${mail} ${isLater ? "at the time that it is scheduled for" : "then"}. ${rest}`;
}
