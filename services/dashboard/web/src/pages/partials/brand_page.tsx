import {
  ActionIcon,
  Button,
  Code,
  Group,
  Menu,
  Paper,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { useEffect, useState } from "react";
import { TbPalette, TbPlus, TbTrash } from "react-icons/tb";
import type { PartialView } from "../../../../interface/partials.ts";
import { Empty } from "../../parts/states.tsx";
import { useUnsavedGuard } from "../../parts/use_unsaved_guard.tsx";
import { useMay } from "../../session.tsx";
import { brandFault, brandSource, type BrandValue, brandValues, freeName } from "./brand_values.ts";
import { BrandValueInput } from "./brand_value_input.tsx";
import { PartialHeader } from "./partial_header.tsx";
import { usePartialDraft } from "./use_partial_draft.ts";

const NEW = [
  { label: "Colour", name: "color", value: "#1971c2" },
  { label: "Font", name: "font", value: "Arial, Helvetica, sans-serif" },
  { label: "Logo", name: "logo", value: "" },
  { label: "Text", name: "text", value: "" },
];

/** What most brands have. */
const USUAL: readonly BrandValue[] = NEW.slice(0, 3).map(({ name, value }) => ({ name, value }));

/** The colours, fonts, logo and other values that all templates share. */
export function BrandPage({ view }: { view: PartialView }) {
  const draft = usePartialDraft(view);
  const readOnly = !useMay("editor");
  const [values, setValues] = useState(() => brandValues(draft.source));
  const [seen, setSeen] = useState(draft.source);
  if (draft.source !== seen) {
    setSeen(draft.source);
    setValues(brandValues(draft.source));
  }
  const isUnsaved = draft.isUnsaved &&
    brandSource(values) !== brandSource(brandValues(view.source));
  useUnsavedGuard(isUnsaved);
  useEffect(() => {
    document.title = `${isUnsaved ? "• " : ""}Brand · Posthaste`;
  }, [isUnsaved]);
  const change = (changed: BrandValue[]) => {
    const source = brandSource(changed);
    setValues(changed);
    setSeen(source);
    draft.change(source);
  };
  const isValid = values.every((value) => brandFault(value, values) === null);
  const shown = { ...draft, isUnsaved };
  return (
    <Stack gap="md" maw={760}>
      <PartialHeader view={view} title="Brand" draft={shown} isValid={isValid} />
      <Text size="sm">
        Templates write <Code>{"{{@brand.color}}"}</Code>, and{" "}
        <Code>{"{{asset @brand.logo}}"}</Code>{" "}
        for the address of an image. Values change in templates when you publish them.
      </Text>
      {values.map((value, index) => (
        <Paper key={index} withBorder p="sm">
          <Row
            value={value}
            all={values}
            readOnly={readOnly}
            onChange={(changed) => change(values.with(index, changed))}
            onRemove={() => change(values.toSpliced(index, 1))}
          />
        </Paper>
      ))}
      {values.length === 0 && (
        <Empty
          icon={TbPalette}
          title="No values yet"
          action={!readOnly && (
            <Button onClick={() => change([...USUAL])}>Begin with colour, font and logo</Button>
          )}
        >
          Change a colour or the logo here, and it changes in all templates that use it.
        </Empty>
      )}
      {!readOnly && (
        <Menu position="bottom-start" width={180}>
          <Menu.Target>
            <Button variant="default" leftSection={<TbPlus size={16} />} w="fit-content">
              Add a value
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {NEW.map(({ label, name, value }) => (
              <Menu.Item
                key={name}
                onClick={() => change([...values, { name: freeName(name, values), value }])}
              >
                {label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </Stack>
  );
}

function Row({ value, all, readOnly, onChange, onRemove }: {
  value: BrandValue;
  all: readonly BrandValue[];
  readOnly: boolean;
  onChange: (value: BrandValue) => void;
  onRemove: () => void;
}) {
  const fault = brandFault(value, all);
  return (
    <Group gap="sm" align="flex-start">
      <TextInput
        label="Name"
        value={value.name}
        readOnly={readOnly}
        error={fault?.name}
        onChange={({ currentTarget }) => onChange({ ...value, name: currentTarget.value })}
        w={{ base: "100%", xs: 200 }}
      />
      <BrandValueInput
        {...{ value, readOnly }}
        error={fault?.value}
        onChange={(changed) => onChange({ ...value, value: changed })}
      />
      {!readOnly && (
        <ActionIcon
          variant="subtle"
          color="gray"
          mt={27}
          aria-label={`Remove ${value.name}`}
          onClick={onRemove}
        >
          <TbTrash size={16} />
        </ActionIcon>
      )}
    </Group>
  );
}
