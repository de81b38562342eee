import { Alert, Button, Stack, Text } from "@mantine/core";
import { TbMailOff } from "react-icons/tb";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { InvitationOffer } from "../../../../interface/people.ts";
import type { SessionView } from "../../../../interface/session.ts";
import { HttpError, keepSession, request } from "../../api.ts";
import { Failed, Waiting } from "../../parts/states.tsx";
import { SignInFrame } from "./sign_in_frame.tsx";
import { UnprovenAddress } from "../settings/unproven_address.tsx";
import { JoinForm } from "./join_form.tsx";

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "long" });

const ROLE: Record<InvitationOffer["role"], string> = {
  texts: "a member who changes texts of templates, and nothing else",
  viewer: "a viewer, who can see everything",
  editor: "an editor, who can change templates and integrations",
  owner: "an owner, who can do everything and invite others",
};

/** The page of an invitation's link, signed out or signed in. */
export default function Invitation({ token }: { token: string }) {
  const offer = useQuery({
    queryKey: ["sign-in", "invitation", token],
    queryFn: ({ signal }) =>
      request<InvitationOffer>(`/sign-in/invitation/${encodeURIComponent(token)}`, { signal }),
  });
  const session = useQuery({
    queryKey: ["sign-in", "who"],
    queryFn: ({ signal }) =>
      request<SessionView>("/session", { signal }).catch((error) => {
        if (error instanceof HttpError && error.code === "signed_out") return null;
        throw error;
      }),
  });
  const error = offer.error ?? session.error;
  if (error instanceof HttpError && error.code === "not_found") {
    return <Gone {...{ error }} />;
  }
  if (error !== null) {
    const retry = () => void Promise.all([offer.refetch(), session.refetch()]);
    return (
      <SignInFrame title="Invitation">
        <Failed error={error} retry={retry} />
      </SignInFrame>
    );
  }
  if (offer.data === undefined || session.data === undefined) return <Waiting />;
  const { accountName, invitedBy, role, expiresAt, email } = offer.data;
  return (
    <SignInFrame
      title={`Join ${accountName}`}
      about={`${invitedBy} invites ${email} to be ${ROLE[role]}. The invitation expires on ${
        DAY.format(new Date(expiresAt))
      }.`}
    >
      {session.data === null
        ? <JoinForm token={token} offer={offer.data} />
        : <JoinSignedIn token={token} offer={offer.data} session={session.data} />}
    </SignInFrame>
  );
}

function JoinSignedIn({ token, offer, session }: {
  token: string;
  offer: InvitationOffer;
  session: SessionView;
}) {
  keepSession(session);
  const isMine = session.user.email === offer.email;
  const isProven = session.user.isProven || offer.isMailed;
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      isMine
        ? request(`/invitations/${encodeURIComponent(token)}/accept`, { method: "POST" })
        : request("/session", { method: "DELETE" }),
    onSuccess: () => isMine ? location.assign("/") : location.reload(),
  });
  return (
    <Stack>
      <Text size="sm">
        You are signed in as <strong>{session.user.email}</strong>.
        {!isMine && ` This invitation is for ${offer.email}. Sign out to use it.`}
      </Text>
      {isMine && !isProven && <UnprovenAddress email={offer.email} />}
      {error && <Alert color="red" role="alert">{error.message}</Alert>}
      {(isProven || !isMine) && (
        <Button loading={isPending} onClick={() => mutate()}>
          {isMine ? `Join ${offer.accountName}` : "Sign out"}
        </Button>
      )}
      <Button component="a" href="/" variant="default">Go to {session.account.name}</Button>
    </Stack>
  );
}

function Gone({ error }: { error: Error }) {
  return (
    <SignInFrame title="This invitation has expired">
      <Stack>
        <Alert color="yellow" icon={<TbMailOff size={20} />}>{error.message}.</Alert>
        <Button component="a" href="/" variant="default">Go to the dashboard</Button>
      </Stack>
    </SignInFrame>
  );
}
