import { Button, PasswordInput, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { request } from "../../api.ts";
import { showIssues } from "../../parts/form_issues.ts";
import { showDone } from "../../parts/show_outcome.ts";
import { NewPassword, shortPassword } from "../sign_in/new_password.tsx";

/** Changes the user's password. */
export function PasswordForm({ email }: { email: string }) {
  const client = useQueryClient();
  const form = useForm({
    initialValues: { current: "", password: "" },
    validate: {
      current: (text) => text === "" ? "Required" : null,
      password: shortPassword,
    },
  });
  const { mutate, isPending } = useMutation({
    mutationFn: (body: { current: string; password: string }) =>
      request<{ ended: number }>("/you/password", { method: "PUT", body }),
    onSuccess: ({ ended }) => {
      form.reset();
      const others = ended === 1 ? "another browser is" : `${ended} other browsers are`;
      showDone(`Your password was changed${ended === 0 ? "" : `; ${others} signed out`}`);
      void client.invalidateQueries({ queryKey: ["you"] });
    },
    onError: (error) => showIssues(form, error),
  });
  return (
    <form onSubmit={form.onSubmit((values) => mutate(values))} noValidate>
      <Stack maw={420}>
        <input type="hidden" autoComplete="username" value={email} readOnly />
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          visibilityToggleButtonProps={{ "aria-label": "Show or hide the password" }}
          {...form.getInputProps("current")}
        />
        <NewPassword label="New password" {...form.getInputProps("password")} />
        <div>
          <Button type="submit" variant="default" loading={isPending}>Change password</Button>
        </div>
      </Stack>
    </form>
  );
}
