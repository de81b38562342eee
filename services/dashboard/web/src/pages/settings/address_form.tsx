import { Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { request } from "../../api.ts";
import { showIssues } from "../../parts/form_issues.ts";
import { showDone } from "../../parts/show_outcome.ts";

/** Changes the user's address for sign-in. */
export function AddressForm({ email }: { email: string }) {
  const client = useQueryClient();
  const form = useForm({
    initialValues: { email, current: "" },
    validate: {
      email: (text) => /^\S+@\S+$/.test(text.trim()) ? null : "This is not a valid email address",
      current: (text) => text === "" ? "Required" : null,
    },
  });
  const { mutate, isPending } = useMutation({
    mutationFn: (body: { current: string; email: string }) =>
      request("/you/email", { method: "PUT", body }),
    onSuccess: async (_, { email }) => {
      showDone("Address changed. Sign in with the new address from now on");
      form.setInitialValues({ email, current: "" });
      form.setValues({ email, current: "" });
      for (const key of ["session", "members", "you"]) {
        await client.invalidateQueries({ queryKey: [key] });
      }
    },
    onError: (error) => showIssues(form, error),
  });
  const isChanged = form.values.email.trim().toLowerCase() !== email;
  return (
    <form
      onSubmit={form.onSubmit(({ email, current }) => mutate({ current, email: email.trim() }))}
      noValidate
    >
      <Stack maw={420}>
        <TextInput
          label="Email address"
          type="email"
          autoComplete="email"
          {...form.getInputProps("email")}
        />
        {isChanged && (
          <>
            <PasswordInput
              label="Your password"
              description="You will sign in with the new address. Other browsers are signed out."
              autoComplete="current-password"
              visibilityToggleButtonProps={{ "aria-label": "Show or hide your password" }}
              {...form.getInputProps("current")}
            />
            <div>
              <Button type="submit" variant="default" loading={isPending}>Change address</Button>
            </div>
          </>
        )}
      </Stack>
    </form>
  );
}
