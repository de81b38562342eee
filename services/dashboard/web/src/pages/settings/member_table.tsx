import { Badge, Divider, Group, Select, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Fragment } from "react";
import type { MemberView } from "../../../../interface/people.ts";
import { request } from "../../api.ts";
import { Breakable } from "../../parts/breakable.tsx";
import { confirmAction } from "../../parts/confirm.tsx";
import { RowAction } from "../../parts/row_action.tsx";
import { showDone, showError } from "../../parts/show_outcome.ts";
import { Time } from "../../parts/time.tsx";
import { ROLES } from "@posthaste/contracts";
import { useSession } from "../../session.tsx";
import { ROLE_NAMES } from "../../parts/role_name.ts";

/** The members, with the owners' actions on them. */
export function MemberTable({ members, mayChange }: { members: MemberView[]; mayChange: boolean }) {
  return (
    <Stack gap="sm">
      {members.map((member, index) => (
        <Fragment key={member.userId}>
          {index > 0 && <Divider />}
          <MemberRow member={member} mayChange={mayChange} />
        </Fragment>
      ))}
    </Stack>
  );
}

function MemberRow({ member, mayChange }: { member: MemberView; mayChange: boolean }) {
  const { userId, name, email, isProven, role, since } = member;
  const { user } = useSession();
  const client = useQueryClient();
  const isYou = user.id === userId;
  const reload = async () => {
    await client.invalidateQueries({ queryKey: ["members"] });
    // The user's own rights may have changed.
    if (isYou) await client.invalidateQueries({ queryKey: ["session"] });
  };
  const change = useMutation({
    mutationFn: (next: string) =>
      request(`/members/${userId}`, { method: "PUT", body: { role: next } }),
    onSuccess: (_, next) => showDone(`${name} is ${next} now`),
    onError: showError,
    onSettled: reload,
  });
  const remove = () =>
    confirmAction({
      title: isYou ? "Leave the account?" : `Remove ${name}?`,
      text: isYou
        ? "You can return only if an owner invites you."
        : `${email} loses access to this account. Tokens that they created keep working.`,
      label: isYou ? "Leave" : "Remove",
      done: isYou ? "You have left the account" : `${name} is removed`,
      act: async () => {
        await request(`/members/${userId}`, { method: "DELETE" });
        if (isYou) location.assign("/");
        else await reload();
      },
    });
  return (
    <Group justify="space-between" gap="xs" wrap={mayChange ? "wrap" : "nowrap"}>
      <div style={{ minWidth: 0, flex: "1 1 240px" }}>
        <Group gap={6}>
          <Text size="sm" fw={550} style={{ overflowWrap: "anywhere" }}>{name}</Text>
          {isYou && <Badge variant="light" size="sm" tt="none">you</Badge>}
          {!isProven && (
            <Badge
              variant="default"
              size="sm"
              tt="none"
              title={`The address ${email} is not verified`}
            >
              address not verified
            </Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          <Breakable text={email} />, joined <Time at={since} size="xs" />
        </Text>
      </div>
      {mayChange
        ? (
          <Group gap={4} wrap="nowrap">
            <Select
              aria-label={`Role of ${name}`}
              size="xs"
              w={124}
              data={ROLES.map((each) => ({ value: each, label: ROLE_NAMES[each] }))}
              value={role}
              allowDeselect={false}
              disabled={change.isPending}
              onChange={(next) => next !== null && next !== role && change.mutate(next)}
            />
            <RowAction
              miw={84}
              onClick={remove}
              aria-label={isYou ? "Leave the account" : `Remove ${name}`}
            >
              {isYou ? "Leave" : "Remove"}
            </RowAction>
          </Group>
        )
        : <Badge variant="default" tt="none" fw={500} flex="none">{ROLE_NAMES[role]}</Badge>}
    </Group>
  );
}
