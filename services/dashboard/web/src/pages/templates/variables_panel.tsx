import { Alert, Button, Stack, Text } from "@mantine/core";
import { declareVariable, knownVariables, requiredAtFirst } from "./known_variables.ts";
import { completeSample } from "./complete_sample.ts";
import { LocaleInput } from "./locale_input.tsx";
import type { Draft } from "./use_draft.ts";
import type { Preview } from "./use_preview.ts";
import { VariableCard } from "./variable_card.tsx";
import { whereRead } from "./where_read.ts";

/** The variables of a request: found in the template, with their declarations. */
export function VariablesPanel({ draft, preview, readOnly, isEmail, isNew }: {
  draft: Draft;
  preview: Preview;
  readOnly: boolean;
  isEmail: boolean;
  /** Whether nothing of the template is published yet. */
  isNew: boolean;
}) {
  const { source, change, setSample } = draft;
  const found = preview.view?.variables ?? [];
  const missing = preview.view?.missing ?? [];
  const known = knownVariables(source.variables, { found, sample: source.sample, isNew });
  const required = isNew ? requiredAtFirst(source.variables, found) : [];
  return (
    <Stack gap="sm">
      {isEmail && (
        <LocaleInput
          value={source.locale}
          readOnly={readOnly}
          onChange={(locale) => change({ locale })}
        />
      )}
      {missing.length > 0 && (
        <Alert color="red" p="xs">
          The sample lacks required variables: {missing.join(", ")}. Such a request is refused.
        </Alert>
      )}
      {required.length > 0 && (
        <Alert p="xs">
          <Text size="sm">
            Every message prints{" "}
            {required.join(", ")}. Publishing makes them required: a request without one of them is
            refused.
          </Text>
          <Button
            mt={6}
            size="compact-xs"
            variant="light"
            disabled={readOnly}
            onClick={() =>
              change({
                variables: [
                  ...source.variables,
                  ...required.map((name) => ({ name, required: false })),
                ],
              })}
          >
            Make them optional
          </Button>
        </Alert>
      )}
      {known.length === 0 && (
        <Text size="sm" c="dimmed">
          The template uses no variables yet. Write {"{{ name }}"}{" "}
          where you want a value of the request. The variable then appears here.
        </Text>
      )}
      {known.map((variable) => (
        <VariableCard
          key={variable.declaration.name}
          variable={variable}
          readIn={variable.found === null
            ? ""
            : whereRead(variable.found, { isEmail, html: source.html })}
          isMissing={missing.includes(variable.declaration.name)}
          readOnly={readOnly}
          onChange={(declaration) =>
            change({
              variables: declareVariable(
                source.variables,
                declaration,
                variable.found?.always,
              ),
            })}
          onAdd={() => setSample(completeSample(source.sample, variable.lacking))}
        />
      ))}
    </Stack>
  );
}
