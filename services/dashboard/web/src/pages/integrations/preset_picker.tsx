import { Alert, Paper, Select, Stack, Text } from "@mantine/core";
import { TbBulb } from "react-icons/tb";
import { useState } from "react";
import type { ProviderPreset } from "../../../../interface/integrations.ts";
import { SectionTitle } from "../../parts/section_title.tsx";
import type { IntegrationFormState } from "./form_values.ts";
import { OutsideLink } from "./integration_form.tsx";
import { usePresets } from "./integration_queries.ts";

/** Fills the form with the documented settings of a well-known provider. */
export function PresetPicker({ form }: { form: IntegrationFormState }) {
  const { data: presets = [] } = usePresets();
  const [chosen, setChosen] = useState<string | null>(null);
  const preset = presets.find(({ id }) => id === chosen);
  const choose = (id: string | null) => {
    setChosen(id);
    const found = presets.find((each) => each.id === id);
    if (found !== undefined) fill(form, found);
  };
  return (
    <Paper withBorder component="section" p="lg">
      <Stack gap="sm">
        <div>
          <SectionTitle>Provider</SectionTitle>
          <Text size="sm" c="dimmed">Fills in known settings. Skip it for any other server</Text>
        </div>
        <Select
          aria-label="Provider"
          placeholder="Choose a provider"
          searchable
          clearable
          clearButtonProps={{ "aria-label": "Clear provider" }}
          data={presets.map(({ id, name }) => ({ value: id, label: name }))}
          value={chosen}
          onChange={choose}
        />
        {preset !== undefined && preset.servers.length > 1 && (
          <Select
            label={preset.id === "ses" ? "Region" : "Server"}
            searchable
            allowDeselect={false}
            data={preset.servers.map(({ label, host }) => ({ value: host, label }))}
            value={form.values.host}
            onChange={(host) => form.setFieldValue("host", host ?? "")}
          />
        )}
        {preset !== undefined && (
          <Alert color="cyan" icon={<TbBulb size={20} />} p="sm">
            <Text size="sm">
              <b>User:</b> {preset.user}.
            </Text>
            <Text size="sm" mt={4}>
              {preset.hint}.{" "}
              <OutsideLink href={preset.documentation}>{preset.name}’s page</OutsideLink>
            </Text>
          </Alert>
        )}
      </Stack>
    </Paper>
  );
}

function fill(form: IntegrationFormState, preset: ProviderPreset): void {
  const { id, name, servers, port, tls, fixedUser } = preset;
  form.setFieldValue("host", servers[0]?.host ?? "");
  form.setFieldValue("port", port);
  form.setFieldValue("tls", tls);
  if (fixedUser !== undefined) form.setFieldValue("user", fixedUser);
  if (id === "microsoft" || id === "google") form.setFieldValue("provider", id);
  if (form.values.name === "") form.setFieldValue("name", name);
}
