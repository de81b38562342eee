import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { InvitationView } from "../../../../interface/people.ts";
import { request } from "../../api.ts";
import { showDone, showError } from "../../parts/show_outcome.ts";
import { Time } from "../../parts/time.tsx";
import { Section } from "./section.tsx";
import { ROLE_NAMES } from "../../parts/role_name.ts";

/** Unused invitations. */
export function InvitationList({ invitations }: { invitations: InvitationView[] }) {
  const client = useQueryClient();
  const { mutate, variables, isPending } = useMutation({
    mutationFn: ({ id }: InvitationView) => request(`/invitations/${id}`, { method: "DELETE" }),
    onSuccess: (_, { email }) => showDone(`Invitation of ${email} revoked`),
    onError: showError,
    onSettled: () => client.invalidateQueries({ queryKey: ["members"] }),
  });
  return (
    <Section title="Invited" about="To create a new link, invite the person again.">
      <Stack gap="sm">
        {invitations.map((invitation) => {
          const { id, email, role, invitedBy, expiresAt } = invitation;
          return (
            <Group key={id} justify="space-between" gap="xs" wrap="nowrap">
              <div>
                <Text size="sm" fw={550} style={{ overflowWrap: "anywhere" }}>{email}</Text>
                <Text size="xs" c="dimmed">
                  as {ROLE_NAMES[role]}, by {invitedBy}; ends <Time at={expiresAt} size="xs" />
                </Text>
              </div>
              <Button
                size="compact-sm"
                variant="subtle"
                flex="none"
                color="red"
                loading={isPending && variables?.id === id}
                onClick={() => mutate(invitation)}
                aria-label={`Revoke the invitation of ${email}`}
              >
                Revoke
              </Button>
            </Group>
          );
        })}
      </Stack>
    </Section>
  );
}
