import { Alert, Anchor, Button, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { startAuthentication } from "@simplewebauthn/browser";
import { TbAlertTriangle } from "react-icons/tb";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { SecondFactorProof, SecondFactorWays } from "../../../../interface/people.ts";
import { request } from "../../api.ts";
import { SignInFrame } from "./sign_in_frame.tsx";

type PasskeyOptions = Parameters<typeof startAuthentication>[0]["optionsJSON"];

/** Asks for a second factor after the password. */
export function SecondFactorForm({ ways, onSignedIn, onAgain }: {
  ways: SecondFactorWays;
  onSignedIn: () => Promise<void>;
  /** Goes back to the password. */
  onAgain: () => void;
}) {
  const [isRecovery, setRecovery] = useState(false);
  const form = useForm({ initialValues: { code: "" } });
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (proof: SecondFactorProof) =>
      request("/sign-in/second", { method: "POST", body: proof }),
    onSuccess: onSignedIn,
  });
  const passkey = useMutation({
    mutationFn: async () => {
      const path = "/sign-in/second/passkey";
      const optionsJSON = await request<PasskeyOptions>(path, { method: "POST" });
      return await startAuthentication({ optionsJSON });
    },
    onSuccess: (response) => mutate({ by: "passkey", response }),
  });
  const failure = error ?? passkey.error;
  const asksForCode = ways.app || isRecovery;
  const other = () => {
    reset();
    form.reset();
    setRecovery(!isRecovery);
  };
  return (
    <SignInFrame
      title="Second factor"
      about={isRecovery
        ? "Enter one of your recovery codes. Each works once."
        : ways.app
        ? "Enter the code that your authenticator app shows."
        : "Use one of your passkeys."}
    >
      {ways.passkey && !isRecovery && (
        <Button
          variant={ways.app ? "default" : "filled"}
          loading={passkey.isPending}
          onClick={() => passkey.mutate()}
        >
          Use a passkey
        </Button>
      )}
      {asksForCode && (
        <form
          onSubmit={form.onSubmit(({ code }) =>
            mutate({ by: isRecovery ? "recovery" : "app", code })
          )}
        >
          <Stack>
            <TextInput
              key={String(isRecovery)}
              label={isRecovery ? "Recovery code" : "Code"}
              inputMode={isRecovery ? "text" : "numeric"}
              autoComplete="one-time-code"
              autoFocus
              required
              withAsterisk={false}
              {...form.getInputProps("code")}
            />
            <Button type="submit" loading={isPending}>Sign in</Button>
          </Stack>
        </form>
      )}
      {failure && (
        <Alert color="red" icon={<TbAlertTriangle size={20} />} role="alert">
          {sayFailure(failure)}
        </Alert>
      )}
      <Stack gap={4}>
        <Anchor component="button" type="button" size="sm" onClick={other}>
          {isRecovery ? "Use another method" : "Use a recovery code"}
        </Anchor>
        <Anchor component="button" type="button" size="sm" onClick={onAgain}>
          Sign in as another person
        </Anchor>
        <Text size="xs" c="dimmed">
          If you lost all of them, ask the operator to remove your second factor.
        </Text>
      </Stack>
    </SignInFrame>
  );
}

/** Replaces a browser's error for a passkey, which is meant for programmers. */
function sayFailure(failure: Error): string {
  return failure.name === "NotAllowedError" ? "No passkey was used. Try again." : failure.message;
}
