import { Group, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { InvitationView } from "../../../../interface/people.ts";
import { request } from "../../api.ts";
import { Breakable } from "../../parts/breakable.tsx";
import { confirmAction } from "../../parts/confirm.tsx";
import { RowAction } from "../../parts/row_action.tsx";
import { Section } from "../../parts/section.tsx";
import { Time } from "../../parts/time.tsx";
import { ROLE_NAMES } from "../../parts/role_name.ts";

/** Unused invitations. */
export function InvitationList({ invitations }: { invitations: InvitationView[] }) {
  const client = useQueryClient();
  const revoke = ({ id, email }: InvitationView) =>
    confirmAction({
      title: `Revoke the invitation of ${email}?`,
      text: "Its link stops working. You can invite the person again.",
      label: "Revoke",
      done: `Invitation of ${email} revoked`,
      act: async () => {
        try {
          await request(`/invitations/${id}`, { method: "DELETE" });
        } finally {
          await client.invalidateQueries({ queryKey: ["members"] });
        }
      },
    });
  return (
    <Section title="Invited" about="To create a new link, invite the person again.">
      <Stack gap="sm">
        {invitations.map((invitation) => {
          const { id, email, role, invitedBy, expiresAt } = invitation;
          return (
            <Group key={id} justify="space-between" gap="xs" wrap="nowrap">
              <div>
                <Text size="sm" fw={550} style={{ overflowWrap: "anywhere" }}>
                  <Breakable text={email} />
                </Text>
                <Text size="xs" c="dimmed">
                  as {ROLE_NAMES[role]}, by {invitedBy}; ends <Time at={expiresAt} size="xs" />
                </Text>
              </div>
              <RowAction
                onClick={() => revoke(invitation)}
                aria-label={`Revoke the invitation of ${email}`}
              >
                Revoke
              </RowAction>
            </Group>
          );
        })}
      </Stack>
    </Section>
  );
}
