import { Alert, Button, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { request } from "../../api.ts";
import { showIssues } from "../../parts/form_issues.ts";
import { SignInFrame } from "./sign_in_frame.tsx";
import { NewPassword, shortPassword } from "./new_password.tsx";

/** The page of the link for a forgotten password. */
export default function Reset({ token }: { token: string }) {
  const form = useForm({ initialValues: { password: "" }, validate: { password: shortPassword } });
  const { mutate, isPending, isSuccess } = useMutation({
    mutationFn: (body: { password: string }) =>
      request(`/sign-in/reset/${encodeURIComponent(token)}`, { method: "POST", body }),
    onError: (error) => showIssues(form, error),
  });
  if (isSuccess) {
    return (
      <SignInFrame title="New password">
        <Stack>
          <Alert color="teal">Your password was changed. You are signed out everywhere.</Alert>
          <Button component="a" href="/">Sign in</Button>
        </Stack>
      </SignInFrame>
    );
  }
  return (
    <SignInFrame title="New password" about="Use it to sign in from now on.">
      <form onSubmit={form.onSubmit((values) => mutate(values))} noValidate>
        <Stack>
          <NewPassword label="New password" {...form.getInputProps("password")} />
          <Button type="submit" loading={isPending}>Change password</Button>
        </Stack>
      </form>
    </SignInFrame>
  );
}
