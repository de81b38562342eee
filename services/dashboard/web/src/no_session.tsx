import { Alert, Button, Stack } from "@mantine/core";
import { HttpError } from "./api.ts";
import { SignInFrame } from "./pages/sign_in/sign_in_frame.tsx";
import { Failed } from "./parts/states.tsx";

/** Shown instead of an account if the session cannot be loaded. */
export function NoSession({ error }: { error: Error }) {
  if (!(error instanceof HttpError) || error.code !== "wrong_account") {
    return <Failed error={error} />;
  }
  return (
    <SignInFrame title="You are not a member of this account">
      <Stack>
        <Alert color="yellow">{error.message}.</Alert>
        <Button component="a" href="/">Go to one of your accounts</Button>
      </Stack>
    </SignInFrame>
  );
}
