import { Alert, Button, Group, Menu, Stack, Text } from "@mantine/core";
import { useClickOutside } from "@mantine/hooks";
import { lazy, Suspense, useMemo, useRef, useState } from "react";
import { TbPlus } from "react-icons/tb";
import { writeText } from "../../../../../texts/write_text.ts";
import { Waiting } from "../../../parts/states.tsx";
import type { Draft } from "../use_draft.ts";
import type { Preview } from "../use_preview.ts";
import { changeOfText, faultOf, isPlain, sourceOfText, tokensOf } from "./text_editing.ts";
import type { TextHandle } from "./text_editor.tsx";
import { offeredValues } from "./offered_values.ts";
import type { OpenEdit } from "./use_text_editing.ts";

const TextEditor = lazy(() => import("./text_editor.tsx"));

/** Edits a text of the preview. A click elsewhere takes the change over. */
export function EditText({ edit, draft, preview, onClose }: {
  edit: OpenEdit;
  draft: Draft;
  preview: Preview;
  onClose: () => void;
}) {
  const { target, shown } = edit;
  const handle = useRef<TextHandle>(null);
  const [problem, setProblem] = useState<string | null>(null);
  // The text as it was when it was opened: it stays the base of the change.
  const [before] = useState(() => sourceOfText(draft.source, target) ?? "");
  const [tokens] = useState(() => tokensOf(before, target));
  const values = useMemo(
    () =>
      offeredValues({
        before,
        source: draft.source,
        target,
        shown,
        found: preview.view?.variables,
      }),
    [before, draft.source, target, shown, preview.view],
  );
  const done = () => {
    const after = handle.current?.changed() ?? null;
    if (after === null) return onClose();
    if (sourceOfText(draft.source, target) !== before) {
      return setProblem("This text was changed elsewhere. Close it, and begin again.");
    }
    const written = writeText(tokens, after, { isPlain: isPlain(target) });
    const rule = { before, values: new Set(values.map(({ source }) => source)) };
    const fault = faultOf(written, target, rule);
    if (fault !== null) return setProblem(`${fault}.`);
    draft.change(changeOfText(draft.source, target, written));
    onClose();
  };
  const area = useClickOutside(done);
  const hasBlocks = tokens.some(({ type }) => type === "block");
  const hasOwnText = target.type === "text" && draft.source.text.trim() !== "";
  const hasValues = tokens.some(({ type }) => type === "value");
  return (
    <Stack gap="xs" ref={area}>
      <Suspense fallback={<Waiting label="Loading the editor" />}>
        <TextEditor
          ref={handle}
          {...{ tokens, shown }}
          isOneLine={target.type === "subject"}
          onDone={done}
          onCancel={onClose}
          onRefused={() =>
            setProblem("The parts of a condition stay. Change the words between them.")}
        />
      </Suspense>
      {problem !== null && (
        <Alert color="red" p="xs" role="alert">
          <Text size="sm">{problem}</Text>
        </Alert>
      )}
      {(hasValues || hasBlocks || hasOwnText) && (
        <Text size="xs" c="dimmed">
          {hasOwnText && "The plain text of this mail is written by hand, and does not change. "}
          {hasValues && "Coloured words are filled in for each recipient. "}
          {hasBlocks &&
            "Words between dashed marks are only shown if the condition is met."}
        </Text>
      )}
      <Group justify="space-between" gap="xs">
        {values.length === 0 ? <span /> : (
          <Menu position="bottom-start" withinPortal={false}>
            <Menu.Target>
              <Button size="compact-sm" variant="subtle" leftSection={<TbPlus size={14} />}>
                Value
              </Button>
            </Menu.Target>
            <Menu.Dropdown mah={240} style={{ overflowY: "auto" }}>
              {values.map((value) => (
                <Menu.Item
                  key={value.source}
                  onClick={() => handle.current?.insert(value)}
                >
                  <Text size="sm">{value.name}</Text>
                  {value.shown !== "" && (
                    <Text size="xs" c="dimmed" lineClamp={1}>{value.shown}</Text>
                  )}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        )}
        <Group gap="xs">
          <Button size="compact-sm" variant="default" onClick={onClose}>Cancel</Button>
          <Button size="compact-sm" onClick={done}>Done</Button>
        </Group>
      </Group>
    </Stack>
  );
}
