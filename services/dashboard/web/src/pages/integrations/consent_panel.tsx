import { Alert, Button, Paper, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { OAUTH_ENDPOINTS } from "@posthaste/contracts";
import { TbExternalLink } from "react-icons/tb";
import type { IntegrationView, OauthLoginView } from "../../../../interface/integrations.ts";
import { startConsent } from "../../consent_request.ts";
import { SectionTitle } from "../../parts/section_title.tsx";
import { showError } from "../../parts/show_outcome.ts";
import { Time } from "../../parts/time.tsx";
import { useSession } from "../../session.tsx";

type Consent = Extract<OauthLoginView, { kind: "oauthRefreshToken" }>["consent"];

/** Leads a person to the provider, to let Posthaste send as their mailbox. */
export function ConsentPanel({ view, isDirty }: { view: IntegrationView; isDirty: boolean }) {
  const { id: integrationId, settings: { oauth, user } } = view;
  const { account, user: person } = useSession();
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      if (oauth?.kind !== "oauthRefreshToken") return;
      const options = { origin: location.origin, slot: sessionStorage, nowMs: Date.now() };
      const ids = { accountId: account.id, userId: person.id, integrationId };
      location.assign(await startConsent({ ...oauth, user }, { ...ids, ...options }));
    },
    onError: showError,
  });
  if (oauth?.kind !== "oauthRefreshToken") return null;
  const { name } = OAUTH_ENDPOINTS[oauth.provider];
  return (
    <Paper withBorder component="section" p="lg" aria-label="Consent">
      <Stack gap="sm" align="flex-start">
        <div>
          <SectionTitle>Consent</SectionTitle>
          <Text size="sm" c="dimmed">
            {name}{" "}
            asks you to sign in to the mailbox, and to let Posthaste send mail. Posthaste never gets
            the password.
          </Text>
        </div>
        {oauth.hasRefreshToken
          ? <Given consent={oauth.consent} />
          : <Alert color="orange" p="sm">Without consent, no mail is sent.</Alert>}
        {!isSecureContext && (
          <Alert color="red" p="sm">Open the dashboard over HTTPS to give consent.</Alert>
        )}
        <Button
          variant={oauth.hasRefreshToken ? "default" : "filled"}
          leftSection={<TbExternalLink size={16} />}
          disabled={isDirty || !isSecureContext}
          loading={isPending}
          onClick={() => mutate()}
        >
          {oauth.hasRefreshToken ? "Give consent again" : "Give consent"}
        </Button>
        {isDirty && <Text size="sm" c="dimmed">Save the changes first.</Text>}
      </Stack>
    </Paper>
  );
}

function Given({ consent }: { consent: Consent }) {
  if (consent === null) return <Text size="sm">A refresh token from elsewhere is stored.</Text>;
  return (
    <Text size="sm" style={{ overflowWrap: "anywhere" }}>
      {consent.by} gave consent <Time at={consent.at} size="sm" />.
    </Text>
  );
}
