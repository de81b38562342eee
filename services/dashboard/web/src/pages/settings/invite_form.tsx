import { Button, Group, Paper, Select, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { InvitedView } from "../../../../interface/people.ts";
import { request } from "../../api.ts";
import { CopyCode } from "../../parts/copy_text.tsx";
import { showIssues } from "../../parts/form_issues.ts";
import { ROLES } from "@posthaste/contracts";
import { ROLE_NAMES } from "../../parts/role_name.ts";

/** Creates the link of an invitation, and shows it only once. */
export function InviteForm() {
  const client = useQueryClient();
  const form = useForm({
    initialValues: { email: "", role: "editor" },
    validate: {
      email: (text) =>
        text.includes("@") ? null : "Enter an email address, such as jane@example.com",
    },
  });
  const { mutate, data, isPending } = useMutation({
    mutationFn: (body: { email: string; role: string }) =>
      request<InvitedView>("/invitations", { method: "POST", body }),
    onSuccess: () => {
      form.setFieldValue("email", "");
      void client.invalidateQueries({ queryKey: ["members"] });
    },
    onError: (error) => showIssues(form, error),
  });
  return (
    <Stack>
      <form onSubmit={form.onSubmit((values) => mutate(values))} noValidate>
        <Group align="flex-start" gap="xs">
          <TextInput
            label="Email address"
            type="email"
            autoComplete="off"
            flex={1}
            miw={200}
            maw={420}
            {...form.getInputProps("email")}
          />
          <Select
            label="Role"
            w={130}
            data={ROLES.map((role) => ({ value: role, label: ROLE_NAMES[role] }))}
            allowDeselect={false}
            {...form.getInputProps("role")}
          />
          <Button type="submit" mt={25} loading={isPending}>Invite</Button>
        </Group>
      </form>
      {data && (
        <Paper withBorder p="md" role="status">
          {data.link === null
            ? (
              <Text size="sm" fw={550} style={{ overflowWrap: "anywhere" }}>
                The invitation was sent to {data.invitation.email}
              </Text>
            )
            : <LinkToGive email={data.invitation.email} link={data.link} />}
        </Paper>
      )}
    </Stack>
  );
}

function LinkToGive({ email, link }: { email: string; link: string }) {
  return (
    <>
      <Text size="sm" fw={550} mb="xs" style={{ overflowWrap: "anywhere" }}>
        Give this link to {email}
      </Text>
      <CopyCode code={link} label="Copy the link" />
      <Text size="sm" c="dimmed" mt="xs">
        It is shown only once. Anyone who has the link can join in their place, with a login for
        this account only. The link does not verify the address.
      </Text>
    </>
  );
}
