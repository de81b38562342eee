import { Button, Group, Modal, Select, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { NewTokenView, RollTokenInput, TokenView } from "../../../../interface/tokens.ts";
import { request } from "../../api.ts";
import { RowAction } from "../../parts/row_action.tsx";
import { showError } from "../../parts/show_outcome.ts";
import { ShownToken } from "./shown_token.tsx";

const OVERLAPS = [
  { value: "0", label: "immediately" },
  { value: "1", label: "in an hour" },
  { value: "24", label: "in a day" },
  { value: "168", label: "in a week" },
];

/** Creates a token that replaces another, which stays valid for a while. */
export function RollButton({ token }: { token: TokenView }) {
  const client = useQueryClient();
  const [isOpen, { open, close }] = useDisclosure();
  const [overlap, setOverlap] = useState("24");
  const [made, setMade] = useState<NewTokenView | null>(null);
  const { mutate, isPending } = useMutation({
    mutationFn: (body: RollTokenInput) =>
      request<NewTokenView>(`/tokens/${token.id}/roll`, { method: "POST", body }),
    onSuccess: setMade,
    onError: showError,
  });
  if (token.state !== "active") return null;
  const leave = () => {
    close();
    setMade(null);
    void client.invalidateQueries({ queryKey: ["tokens"] });
  };
  return (
    <>
      <RowAction onClick={open} aria-label={`Roll ${token.name}`}>Roll</RowAction>
      <Modal
        opened={isOpen}
        onClose={leave}
        title={made === null ? `Roll the token ${token.name}` : "Copy your token now"}
        size="lg"
        closeButtonProps={{ "aria-label": "Close" }}
        closeOnClickOutside={made === null}
        closeOnEscape={made === null}
      >
        {made !== null ? <ShownToken made={made} done={leave} /> : (
          <Stack gap="lg">
            <Text size="sm">
              A new token with the same permissions and limits replaces it. Put the new token into
              the program before the old one expires.
            </Text>
            <Select
              label="The old token expires"
              data={OVERLAPS}
              value={overlap}
              onChange={(value) => setOverlap(value ?? "24")}
              allowDeselect={false}
            />
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={leave}>Cancel</Button>
              <Button
                loading={isPending}
                onClick={() => mutate({ overlapHours: Number(overlap) })}
              >
                Roll token
              </Button>
            </Group>
          </Stack>
        )}
      </Modal>
    </>
  );
}
