import type { VariableDeclaration } from "@posthaste/contracts";
import {
  Badge,
  Button,
  Code,
  Group,
  Paper,
  SimpleGrid,
  Switch,
  Text,
  TextInput,
} from "@mantine/core";
import { TbPlus } from "react-icons/tb";
import { useState } from "react";
import { readDefault, writeDefault } from "./default_text.ts";
import type { KnownVariable } from "./known_variables.ts";

/** A variable: where it is read, and its declaration. */
export function VariableCard({ variable, readIn, isMissing, readOnly, onChange, onAdd }: {
  variable: KnownVariable;
  /** Where the template reads it, in words. */
  readIn: string;
  /** Whether it is required and the sample lacks it. */
  isMissing: boolean;
  readOnly: boolean;
  onChange: (declaration: VariableDeclaration) => void;
  /** Adds the missing values to the sample. */
  onAdd: () => void;
}) {
  const { declaration, found, lacking } = variable;
  const { name, required, description = "" } = declaration;
  const [typed, setTyped] = useState(() => writeDefault(declaration.default));
  // It was saved elsewhere, or taken from another version.
  const isStale = JSON.stringify(readDefault(typed)) !== JSON.stringify(declaration.default);
  const change = (part: Partial<VariableDeclaration>) => onChange({ ...declaration, ...part });
  return (
    <Paper withBorder p="sm" component="section" aria-label={`Variable ${name}`}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Group gap="xs">
          <Code fz="sm">{name}</Code>
          {isMissing && <Badge size="sm" color="red" variant="light" tt="none">Missing</Badge>}
          {found === null && <Badge size="sm" variant="default" tt="none">Not read</Badge>}
        </Group>
        <Switch
          size="xs"
          label="Required"
          labelPosition="left"
          checked={required}
          disabled={readOnly}
          onChange={({ currentTarget: { checked } }) => change({ required: checked })}
        />
      </Group>
      {found !== null && (
        <Text size="xs" c="dimmed" mt={4} style={{ overflowWrap: "anywhere" }}>
          Read in {readIn}
          {isMore(found.paths, name) && `: ${found.paths.join(", ")}`}
        </Text>
      )}
      {lacking.length > 0 && (
        <Button
          mt={6}
          size="compact-xs"
          variant="light"
          leftSection={<TbPlus size={14} />}
          disabled={readOnly}
          onClick={onAdd}
        >
          Add to the sample
        </Button>
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt="xs">
        <TextInput
          size="xs"
          label="Default"
          aria-label={`Default of ${name}`}
          placeholder={required ? "None: required in requests" : "Empty"}
          value={isStale ? writeDefault(declaration.default) : typed}
          disabled={required && declaration.default === undefined}
          styles={LEGIBLE}
          readOnly={readOnly}
          onChange={({ currentTarget: { value } }) => {
            setTyped(value);
            change({ default: readDefault(value) });
          }}
        />
        <TextInput
          size="xs"
          label="Description"
          aria-label={`Description of ${name}`}
          placeholder="Shown to people who write requests"
          value={description}
          readOnly={readOnly}
          onChange={({ currentTarget: { value } }) => change({ description: value })}
        />
      </SimpleGrid>
    </Paper>
  );
}

/** What a disabled field says is to be read too. */
const LEGIBLE = { input: { opacity: 1 } };

function isMore(paths: readonly string[], name: string): boolean {
  return paths.length > 1 || paths[0] !== name;
}
