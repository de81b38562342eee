import { Alert, Button, Grid, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { IntegrationView } from "../../../../interface/integrations.ts";
import { HttpError, request } from "../../api.ts";
import { showDone, showError } from "../../parts/show_outcome.ts";
import { useMay } from "../../session.tsx";
import { ConnectionTest } from "./connection_test.tsx";
import { ConsentPanel } from "./consent_panel.tsx";
import { DangerZone } from "./danger_zone.tsx";
import { inputOf, valuesOf } from "./form_values.ts";
import { IntegrationForm } from "./integration_form.tsx";
import { SettingsTable } from "./settings_table.tsx";
import { useUnsavedGuard } from "../../parts/use_unsaved_guard.tsx";
import { probeInputOf, showIssues, useIntegrationForm } from "./use_integration_form.ts";

/**
 * Shows and changes the settings of an integration; read-only for people without the right to
 * change them.
 */
export function SettingsPanel({ view }: { view: IntegrationView }) {
  if (!useMay("editor")) return <SettingsTable settings={view.settings} />;
  return <SettingsForm view={view} />;
}

function SettingsForm({ view }: { view: IntegrationView }) {
  const { id, hasPassword, settings: { oauth } } = view;
  const client = useQueryClient();
  const form = useIntegrationForm(valuesOf(view.settings));
  // The revision that the form was filled from, to detect other people's changes.
  const [base, setBase] = useState(view);
  const isBehind = base.revision !== view.revision;
  const isSame = JSON.stringify(base.settings) === JSON.stringify(view.settings);

  const fill = (from: IntegrationView) => {
    const values = valuesOf(from.settings);
    form.setInitialValues(values);
    form.setValues(values);
    form.clearErrors();
    setBase(from);
  };
  useEffect(() => {
    // Only a key or a password was replaced elsewhere: nothing that is shown here.
    if (isBehind && isSame) setBase(view);
    else if (isBehind && !form.isDirty()) fill(view);
  }, [view]);

  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      request<IntegrationView>(`/integrations/${id}`, {
        method: "PUT",
        body: { ...inputOf(form.values), revision: base.revision },
      }),
    onSuccess: (changed) => {
      client.setQueryData(["integrations", id], changed);
      void client.invalidateQueries({ queryKey: ["integrations"], exact: true });
      fill(changed);
      showDone("The integration was saved");
    },
    onError: (error) => {
      if (error instanceof HttpError && showIssues(form, error.issues)) return;
      if (error instanceof HttpError && error.code === "conflict") {
        // The new settings are loaded, and a message above the form reports it.
        void client.invalidateQueries({ queryKey: ["integrations", id] });
        return;
      }
      showError(error);
    },
  });
  useUnsavedGuard(form.isDirty());
  return (
    <form onSubmit={form.onSubmit(() => mutate())} aria-label="Settings">
      {isBehind && !isSame && form.isDirty() && (
        <Alert color="orange" mb="md" title="Someone else changed this integration">
          <Text size="sm">
            Your changes cannot be saved over theirs. Load the current version and make your changes
            again.
          </Text>
          <Button
            mt="sm"
            size="xs"
            variant="default"
            onClick={() =>
              fill(view)}
          >
            Load current version
          </Button>
        </Alert>
      )}
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <IntegrationForm form={form} stored={{ oauth, hasPassword }} id={id} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="md" pos="sticky" top={68}>
            {/* First, so that no result of a test pushes it out of the window. */}
            <Group gap="xs">
              <Button type="submit" loading={isPending} disabled={!form.isDirty()}>
                Save changes
              </Button>
              {form.isDirty()
                ? <Button variant="default" onClick={() => fill(view)}>Discard</Button>
                : <Text size="sm" c="dimmed">Everything is saved</Text>}
            </Group>
            <ConnectionTest
              inputOf={() => probeInputOf(form.values, id)}
              onIssues={(issues) => showIssues(form, issues)}
            />
            <ConsentPanel view={view} isDirty={form.isDirty()} />
            <DangerZone view={view} />
          </Stack>
        </Grid.Col>
      </Grid>
    </form>
  );
}
