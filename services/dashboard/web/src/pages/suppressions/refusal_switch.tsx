import { Switch, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { AccountView } from "../../../../interface/people.ts";
import { request } from "../../api.ts";
import { showDone, showError } from "../../parts/show_outcome.ts";
import { useMay } from "../../session.tsx";

/** The account's choice whether refused addresses are added; owners change it. */
export function RefusalSwitch() {
  const isOwner = useMay("owner");
  const client = useQueryClient();
  const { data } = useQuery({
    queryKey: ["account"],
    queryFn: ({ signal }) => request<AccountView>("/account", { signal }),
  });
  const { mutate, isPending } = useMutation({
    mutationFn: (suppressRefused: boolean) =>
      request("/account/suppression", { method: "PUT", body: { suppressRefused } }),
    onSuccess: async (_, isOn) => {
      showDone(isOn ? "Refused addresses are added" : "Refused addresses are no longer added");
      await client.invalidateQueries({ queryKey: ["account"] });
    },
    onError: showError,
  });
  if (data === undefined) return null;
  if (!isOwner) {
    return (
      <Text size="sm" c="dimmed">
        {data.suppressRefused
          ? "Addresses that a server refuses because the mailbox does not exist are added."
          : "Addresses that servers refuse are not added."} Only owners can change this.
      </Text>
    );
  }
  return (
    <Switch
      label="Add addresses that a server refuses because the mailbox does not exist"
      checked={data.suppressRefused}
      disabled={isPending}
      onChange={({ currentTarget }) => mutate(currentTarget.checked)}
    />
  );
}
