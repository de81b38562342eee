import { Button } from "@mantine/core";
import { TbPlayerPlay } from "react-icons/tb";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { IntegrationState, IntegrationView } from "../../../../interface/integrations.ts";
import { request } from "../../api.ts";
import { showDone, showError } from "../../parts/show_outcome.ts";
import { useMay } from "../../session.tsx";

/** Resumes a stopped integration. */
export function ResumeButton({ id, state, name }: {
  id: number;
  state: IntegrationState;
  name: string;
}) {
  const client = useQueryClient();
  const may = useMay("editor");
  const { mutate, isPending } = useMutation({
    mutationFn: () => request<IntegrationView>(`/integrations/${id}/resume`, { method: "POST" }),
    onSuccess: (view) => {
      client.setQueryData(["integrations", id], view);
      void client.invalidateQueries({ queryKey: ["integrations"], exact: true });
      showDone(`“${name}” was resumed`);
    },
    onError: showError,
  });
  if (!may || state === "ready" || state === "slow" || state === "failing") return null;
  return (
    <Button
      size="xs"
      variant="default"
      loading={isPending}
      leftSection={<TbPlayerPlay size={14} />}
      onClick={() => mutate()}
      aria-label={`${state === "unreachable" ? "Retry now" : "Resume"}: ${name}`}
    >
      {state === "unreachable" ? "Retry now" : "Resume"}
    </Button>
  );
}
