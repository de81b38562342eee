import { Button, Grid, Group, Stack } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useLocation } from "wouter";
import type { IntegrationView } from "../../../../interface/integrations.ts";
import { HttpError, request } from "../../api.ts";
import { Page } from "../../parts/page.tsx";
import { showDone, showError } from "../../parts/show_outcome.ts";
import { ConnectionTest } from "./connection_test.tsx";
import { inputOf, NEW_VALUES } from "./form_values.ts";
import { IntegrationForm } from "./integration_form.tsx";
import { PresetPicker } from "./preset_picker.tsx";
import { useUnsavedGuard } from "../../parts/use_unsaved_guard.tsx";
import { probeInputOf, showIssues, useIntegrationForm } from "./use_integration_form.ts";

const NOTHING = { oauth: null, hasPassword: false };

/** Creates an integration. */
export function NewIntegration() {
  const form = useIntegrationForm(NEW_VALUES);
  const client = useQueryClient();
  const [, go] = useLocation();
  const { mutate, isPending, isSuccess } = useMutation({
    mutationFn: () =>
      request<IntegrationView>("/integrations", { method: "POST", body: inputOf(form.values) }),
    onSuccess: (view) => {
      client.setQueryData(["integrations", view.id], view);
      void client.invalidateQueries({ queryKey: ["integrations"], exact: true });
      showDone(`Integration ${view.id}, “${view.settings.name}”, was created`);
      go(`/${view.id}`);
    },
    onError: (error) => {
      if (error instanceof HttpError && showIssues(form, error.issues)) return;
      showError(error);
    },
  });
  useUnsavedGuard(form.isDirty() && !isSuccess);
  return (
    <Page title="New integration" about="An SMTP server that sends your messages">
      <form
        onSubmit={form.onSubmit(() => mutate())}
        aria-label="New integration"
      >
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, md: 7 }}>
            <Stack gap="md">
              <PresetPicker form={form} />
              <IntegrationForm form={form} stored={NOTHING} />
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 5 }}>
            <Stack gap="md" pos="sticky" top={68}>
              <Group gap="xs">
                <Button type="submit" loading={isPending}>Create integration</Button>
                <Button component={Link} href="/" variant="default">Cancel</Button>
              </Group>
              <ConnectionTest
                inputOf={() => probeInputOf(form.values)}
                onIssues={(issues) => showIssues(form, issues)}
              />
            </Stack>
          </Grid.Col>
        </Grid>
      </form>
    </Page>
  );
}
