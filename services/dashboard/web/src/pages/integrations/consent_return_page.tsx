import { Alert, Button, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { ConsentInput, IntegrationView } from "../../../../interface/integrations.ts";
import { pathInAccount } from "../../account_path.ts";
import { request } from "../../api.ts";
import type { PendingConsent, ReturnedConsent } from "../../consent_request.ts";
import { takeConsentReturn } from "../../consent_return.ts";
import { Waiting } from "../../parts/states.tsx";
import { useSession } from "../../session.tsx";
import { SignInFrame } from "../sign_in/sign_in_frame.tsx";

/** Ends a consent, after the provider has sent the person back. */
export default function ConsentReturnPage() {
  const [returned] = useState(takeConsentReturn);
  const { user, account } = useSession();
  const isOwn = returned.kind !== "unknown" && returned.pending.userId === user.id &&
    returned.pending.accountId === account.id;
  if (!isOwn) {
    return (
      <SignInFrame title="No consent is open">
        <Stack>
          <Alert color="yellow">
            This page completes one consent that was started in this tab. Open the integration and
            start again.
          </Alert>
          <Button component="a" href="/integrations">Show all integrations</Button>
        </Stack>
      </SignInFrame>
    );
  }
  if (returned.kind === "granted") return <Exchange {...returned} />;
  return <Ended pending={returned.pending} fault={returned.words} />;
}

function Exchange({ pending, code }: Extract<ReturnedConsent, { kind: "granted" }>) {
  const { integrationId, codeVerifier, redirectUri } = pending;
  const { mutate, data, error } = useMutation({
    mutationFn: () =>
      request<IntegrationView>(`/integrations/${integrationId}/consent`, {
        method: "POST",
        body: { code, codeVerifier, redirectUri } satisfies ConsentInput,
      }),
  });
  useEffect(() => mutate(), []);
  if (error !== null) return <Ended pending={pending} fault={error.message} />;
  return data === undefined ? <Waiting /> : <Ended pending={pending} />;
}

function Ended({ pending, fault }: { pending: PendingConsent; fault?: string }) {
  const { accountId, integrationId } = pending;
  return (
    <SignInFrame title={fault === undefined ? "Consent was given" : "No consent"}>
      <Stack>
        {fault === undefined
          ? <Alert color="teal">Posthaste can send as this mailbox. Test the connection now.</Alert>
          : <Alert color="red" role="alert" style={WRAP}>{fault}</Alert>}
        <Button component="a" href={pathInAccount(accountId, `/integrations/${integrationId}`)}>
          Open the integration
        </Button>
      </Stack>
    </SignInFrame>
  );
}

const WRAP = { overflowWrap: "anywhere" } as const;
