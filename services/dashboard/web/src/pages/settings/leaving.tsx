import { Button, Group, Modal, PasswordInput, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { request } from "../../api.ts";
import { confirmAction } from "../../parts/confirm.tsx";
import { showIssues } from "../../parts/form_issues.ts";
import { Section } from "../../parts/section.tsx";
import { useSession } from "../../session.tsx";

/** Leaves the account, or deletes the user's login for good. */
export function Leaving() {
  const { account, user } = useSession();
  const [closing, dialog] = useDisclosure();
  const leave = () =>
    confirmAction({
      title: `Leave ${account.name}?`,
      text: "You can return only if an owner invites you. Tokens that you created keep working.",
      label: "Leave",
      done: `You have left ${account.name}`,
      act: async () => {
        await request("/you/membership", { method: "DELETE" });
        location.assign("/");
      },
    });
  return (
    <Section
      title="Leave"
      about="The only owner of an account cannot leave. Make someone else an owner first. Your actions stay in the audit log, under your address."
    >
      <Group gap="xs">
        <Button variant="default" onClick={leave}>Leave this account</Button>
        <Button variant="light" color="red" onClick={dialog.open}>Close your login</Button>
      </Group>
      <Modal opened={closing} onClose={dialog.close} title="Close your login?">
        <CloseForm hasPassword={user.hasPassword} onCancel={dialog.close} />
      </Modal>
    </Section>
  );
}

function CloseForm({ hasPassword, onCancel }: { hasPassword: boolean; onCancel: () => void }) {
  const form = useForm({
    initialValues: { current: "" },
    validate: { current: (text) => hasPassword && text === "" ? "Required" : null },
  });
  const { mutate, isPending } = useMutation({
    mutationFn: (body: { current: string }) => request("/you/removal", { method: "POST", body }),
    onSuccess: () => location.assign("/"),
    onError: (error) => showIssues(form, error),
  });
  return (
    <form onSubmit={form.onSubmit((values) => mutate(values))} noValidate>
      <Stack>
        <Text size="sm">
          You leave all your accounts and are signed out everywhere. Only your address in audit logs
          is kept. This cannot be undone.
        </Text>
        {hasPassword && (
          <PasswordInput
            label="Your password"
            autoComplete="current-password"
            visibilityToggleButtonProps={{ "aria-label": "Show or hide your password" }}
            {...form.getInputProps("current")}
          />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>Cancel</Button>
          <Button type="submit" color="red" loading={isPending}>Close my login</Button>
        </Group>
      </Stack>
    </form>
  );
}
