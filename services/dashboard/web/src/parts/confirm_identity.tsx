import { Button, PasswordInput, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { modals } from "@mantine/modals";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import type { SessionView, SignInView } from "../../../interface/session.ts";
import { keepIdentityQuestion, request } from "../api.ts";
import { useSession } from "../session.tsx";
import { showIssues } from "./form_issues.ts";

/**
 * Asks the person at the browser to confirm their identity if the server requires it. The original
 * request follows.
 */
export function IdentityQuestion() {
  const { user } = useSession();
  useEffect(() => {
    keepIdentityQuestion(() =>
      new Promise((resolve) => {
        const id = modals.open({
          title: "Confirm your identity",
          closeButtonProps: { "aria-label": "Close" },
          children: (
            <ConfirmIdentity user={user} onDone={() => (resolve(true), modals.close(id))} />
          ),
          onClose: () =>
            resolve(false),
        });
      })
    );
  }, [user]);
  return null;
}

/** Used outside of the session's context. */
function ConfirmIdentity({ user, onDone }: { user: SessionView["user"]; onDone: () => void }) {
  const form = useForm({ initialValues: { password: "" } });
  const { mutate, isPending } = useMutation({
    mutationFn: (body: { password: string }) =>
      request("/you/confirmation", { method: "POST", body }),
    onSuccess: onDone,
    onError: (error) => showIssues(form, error),
  });
  const why =
    "Required for changes to tokens, owners and servers. The confirmation lasts ten minutes.";
  if (user.confirmBy === "provider") return <ConfirmElsewhere why={why} />;
  return (
    <form onSubmit={form.onSubmit((values) => mutate(values))} noValidate>
      <Stack>
        <Text size="sm">{why}</Text>
        {user.confirmBy === "password" && (
          <>
            <input type="hidden" autoComplete="username" value={user.email} readOnly />
            <PasswordInput
              label="Your password"
              autoComplete="current-password"
              data-autofocus
              visibilityToggleButtonProps={{ "aria-label": "Show or hide the password" }}
              {...form.getInputProps("password")}
            />
          </>
        )}
        <Button type="submit" loading={isPending}>Continue</Button>
      </Stack>
    </form>
  );
}

function ConfirmElsewhere({ why }: { why: string }) {
  const { data } = useQuery({
    queryKey: ["sign-in"],
    queryFn: ({ signal }) => request<SignInView>("/sign-in", { signal }),
  });
  return (
    <Stack>
      <Text size="sm">{why} You return to this page. Your unsaved input is lost.</Text>
      <Button
        component="a"
        href={`/api/sign-in/oidc?back=${encodeURIComponent(location.pathname)}`}
      >
        Sign in with {data?.oidcName ?? "your provider"} again
      </Button>
    </Stack>
  );
}
