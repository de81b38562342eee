import { Alert, Button, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { request } from "../../api.ts";
import { useSession } from "../../session.tsx";
import { SignInFrame } from "./sign_in_frame.tsx";

/** The page of the link that verifies an address, for the signed-in user. */
export default function Proof({ token }: { token: string }) {
  const { user } = useSession();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => request(`/you/proof/${encodeURIComponent(token)}`, { method: "POST" }),
    onSuccess: () => location.assign("/settings/you"),
  });
  return (
    <SignInFrame
      title="Verify your address"
      about={`You are signed in as ${user.name}. Confirm only if you receive mail at ${user.email}.`}
    >
      <Stack>
        {error && <Alert color="red" role="alert">{error.message}.</Alert>}
        <Button loading={isPending} onClick={() => mutate()}>Confirm</Button>
        <Button component="a" href="/" variant="default">No</Button>
      </Stack>
    </SignInFrame>
  );
}
