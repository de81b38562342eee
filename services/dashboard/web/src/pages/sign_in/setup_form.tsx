import { Button, Code, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { SetupInput } from "../../../../interface/people.ts";
import { HttpError, request } from "../../api.ts";
import { showIssues } from "../../parts/form_issues.ts";
import { SignInFrame } from "./sign_in_frame.tsx";
import { NewPassword, shortPassword } from "./new_password.tsx";

const required = (text: string) => text.trim() === "" ? "Required" : null;

/** Creates the first account, if no person has ever signed in. */
export function SetupForm() {
  const client = useQueryClient();
  const form = useForm<SetupInput>({
    initialValues: { setupCode: "", accountName: "", name: "", email: "", password: "" },
    validate: {
      ...{ setupCode: required, accountName: required, name: required },
      email: (text) =>
        text.includes("@") ? null : "Enter an email address, such as jane@example.com",
      password: shortPassword,
    },
  });
  const { mutate, isPending } = useMutation({
    mutationFn: (body: SetupInput) => request("/sign-in/setup", { method: "POST", body }),
    onSuccess: () => client.resetQueries({ queryKey: ["session"] }),
    onError: (error) => {
      if (error instanceof HttpError && error.code === "wrong_code") {
        form.setFieldError("setupCode", error.message);
      } else showIssues({ ...form, values: { ...form.values } }, error);
      if (error instanceof HttpError && error.code === "conflict") {
        void client.invalidateQueries({ queryKey: ["sign-in"] });
      }
    },
  });
  return (
    <SignInFrame
      title="Create the first account"
      about="An account contains templates, integrations and tokens. You become its owner and can invite others."
    >
      <form onSubmit={form.onSubmit((values) => mutate(values))} noValidate>
        <Stack>
          <TextInput
            label="Setup code"
            description={
              <Text span inherit>
                Find it in the dashboard's log, in the line with{" "}
                <Code>setupCode</Code>. It proves that you run this installation
              </Text>
            }
            autoComplete="off"
            spellCheck={false}
            autoFocus
            {...form.getInputProps("setupCode")}
          />
          <TextInput
            label="Account"
            description="Your company or project"
            autoComplete="organization"
            {...form.getInputProps("accountName")}
          />
          <TextInput label="Your name" autoComplete="name" {...form.getInputProps("name")} />
          <TextInput
            label="Your email address"
            type="email"
            autoComplete="username"
            {...form.getInputProps("email")}
          />
          <NewPassword {...form.getInputProps("password")} />
          <Button type="submit" loading={isPending} mt="xs">Create account</Button>
        </Stack>
      </form>
    </SignInFrame>
  );
}
