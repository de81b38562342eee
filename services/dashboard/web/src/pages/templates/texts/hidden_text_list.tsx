import { Box, Group, Stack, Text, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMemo } from "react";
import { TbChevronDown, TbChevronUp } from "react-icons/tb";
import { countText } from "../../../parts/count_text.ts";
import { hiddenTexts } from "./hidden_texts.ts";
import type { Marked } from "./use_marked.ts";
import type { TextEditing } from "./use_text_editing.ts";

const MAX_LISTED = 200;

/** The texts that a preview does not show. A click opens one for editing. */
export function HiddenTextList({ editing, type, shown }: {
  editing: TextEditing;
  /** Whether they are in the HTML or in the text part. */
  type: "text" | "plain";
  /** The numbers of those that the preview shows; null while that is not known. */
  shown: ReadonlySet<number> | null;
}) {
  const { marked } = editing;
  if (marked === null || shown === null) return null;
  return <List {...{ editing, type, shown, marked }} />;
}

function List({ editing, type, shown, marked }: {
  editing: TextEditing;
  type: "text" | "plain";
  shown: ReadonlySet<number>;
  marked: Marked;
}) {
  const [opened, { toggle }] = useDisclosure(false);
  const hidden = useMemo(() => hiddenTexts(marked.of, type, shown), [marked.of, type, shown]);
  if (hidden.length === 0) return null;
  const Sign = opened ? TbChevronDown : TbChevronUp;
  return (
    <Box style={LINE}>
      <UnstyledButton w="100%" px="sm" py={6} onClick={toggle} aria-expanded={opened}>
        <Group gap={6}>
          <Text size="xs">
            {countText(hidden.length, "text", "texts")} not shown with this sample
          </Text>
          <Sign size={14} style={{ marginLeft: "auto" }} aria-hidden />
        </Group>
      </UnstyledButton>
      {opened && (
        <Stack gap={2} px={6} pb={6} mah={180} style={{ overflowY: "auto" }}>
          {hidden.slice(0, MAX_LISTED).map(({ target, label, within }) => (
            <UnstyledButton
              key={target.number}
              px={6}
              py={3}
              title="Edit this text"
              onClick={({ currentTarget }) => {
                const { left, top, width, height } = currentTarget.getBoundingClientRect();
                editing.open({ target, box: { left, top, width, height }, shown: [] });
              }}
            >
              <Text size="xs" style={{ overflowWrap: "anywhere" }}>
                {label.length > 200 ? `${label.slice(0, 200)}…` : label}
                {within.length > 0 && (
                  <Text span inherit c="dimmed">{` (${within.join(", ")})`}</Text>
                )}
              </Text>
            </UnstyledButton>
          ))}
        </Stack>
      )}
    </Box>
  );
}

/** The frame of a mail, which is positioned, must not cover the line above. */
const LINE = {
  borderTop: "1px solid var(--mantine-color-default-border)",
  position: "relative",
} as const;
