import { Alert, Button, Paper, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { JoiningOffer, JoiningView } from "../../../../interface/people.ts";
import { HttpError, request } from "../../api.ts";
import { Failed, Waiting } from "../../parts/states.tsx";
import { SignInFrame } from "./sign_in_frame.tsx";

/** Asks a person from the provider, who is invited but not a member, what to join. */
export default function Joining() {
  const { data, error, refetch } = useQuery({
    queryKey: ["sign-in", "joining"],
    queryFn: ({ signal }) => request<JoiningView>("/sign-in/joining", { signal }),
  });
  if (data === undefined && error === null) return <Waiting />;
  if (data === undefined || data.offers.length === 0) {
    const isOver = error === null || error instanceof HttpError && error.code === "not_found";
    return (
      <SignInFrame title="No open invitations">
        <Stack>
          {isOver
            ? <Alert color="yellow">{error?.message ?? "You have no open invitations"}.</Alert>
            : <Failed error={error} retry={() => void refetch()} />}
          <Button component="a" href="/" variant="default">Go to the sign-in page</Button>
        </Stack>
      </SignInFrame>
    );
  }
  return (
    <SignInFrame
      title="Join an account?"
      about={`These invitations were sent to ${data.email}. Choose which accounts to join.`}
    >
      <Stack>
        {data.offers.map((offer) => <Offer key={offer.id} offer={offer} />)}
        <Button component="a" href="/" variant="default">Join none</Button>
      </Stack>
    </SignInFrame>
  );
}

function Offer({ offer }: { offer: JoiningOffer }) {
  const { id, accountName, role, invitedBy, inviterEmail } = offer;
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => request("/sign-in/joining", { method: "POST", body: { id } }),
    onSuccess: () => location.assign("/"),
  });
  const inviter = inviterEmail === null
    ? `${invitedBy}, whose address is not verified,`
    : `${invitedBy} (${inviterEmail})`;
  return (
    <Paper withBorder p="md">
      <Stack gap="xs">
        <Text fw={550} style={{ overflowWrap: "anywhere" }}>{accountName}</Text>
        <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {inviter} {role === "texts"
            ? "invites you to change texts of templates"
            : `invites you to be ${role === "viewer" ? "a" : "an"} ${role}`}.
        </Text>
        {error && <Alert color="red" role="alert">{error.message}</Alert>}
        <Button loading={isPending} onClick={() => mutate()}>Join {accountName}</Button>
      </Stack>
    </Paper>
  );
}
