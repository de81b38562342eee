import { Badge, Box, Group, Stack, Text, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { TbChevronDown, TbChevronUp, TbCircleCheck } from "react-icons/tb";
import type { TemplateKind } from "@posthaste/contracts";
import type { LintFinding, PreviewView } from "../../../../interface/templates.ts";
import { allFindings, countFindings } from "./all_findings.ts";
import type { SourcePlace } from "./source_marks.ts";

const COLORS = { error: "red", warning: "orange", info: "blue" };
const PARTS = {
  email: { subject: "Subject", html: "HTML", text: "Text", invoice: "Invoice XML" },
  pdf: { subject: "File name", html: "HTML", text: "Text", invoice: "Invoice XML" },
};

/** The findings of a template: one line that opens into a list. */
export function FindingList({ view, kind, onShow }: {
  view: PreviewView;
  kind: TemplateKind;
  onShow: (place: SourcePlace) => void;
}) {
  const [opened, { toggle }] = useDisclosure(true);
  const findings = allFindings(view);
  if (findings.length === 0) {
    return (
      <Group gap={6} px="sm" py={6} style={LINE}>
        <TbCircleCheck size={16} color="var(--mantine-color-teal-text)" aria-hidden />
        <Text size="xs">No issues</Text>
      </Group>
    );
  }
  const Sign = opened ? TbChevronDown : TbChevronUp;
  return (
    <Box style={LINE}>
      <UnstyledButton w="100%" px="sm" py={6} onClick={toggle} aria-expanded={opened}>
        <Group gap={6}>
          {(["error", "warning", "info"] as const).map((severity) => {
            const count = countFindings(findings, severity);
            return count === null
              ? null
              : (
                <Badge key={severity} variant="light" tt="none" color={COLORS[severity]}>
                  {count}
                </Badge>
              );
          })}
          <Sign size={14} style={{ marginLeft: "auto" }} aria-hidden />
        </Group>
      </UnstyledButton>
      {opened && (
        <Stack gap={2} px={6} pb={6} mah={180} style={{ overflowY: "auto" }}>
          {findings.map((finding, index) => (
            <Finding key={index} finding={finding} kind={kind} onShow={onShow} />
          ))}
        </Stack>
      )}
    </Box>
  );
}

/** One finding; a click leads to its place, if it has one. */
export function Finding({ finding, kind, onShow }: {
  finding: LintFinding;
  kind: TemplateKind;
  onShow?: (place: SourcePlace) => void;
}) {
  const { severity, part, line, column, message, remedy, partial } = finding;
  const name = partial ?? PARTS[kind][part];
  const content = (
    <Group gap={8} wrap="nowrap" align="baseline">
      <Badge size="xs" color={COLORS[severity]} variant="dot" tt="none" style={{ flexShrink: 0 }}>
        {line === null ? name : `${name} ${line}`}
      </Badge>
      <Text size="xs" style={{ overflowWrap: "anywhere" }}>
        <VisuallyHidden>{severity}:</VisuallyHidden>
        {message}
        {remedy !== undefined && (
          <Text span inherit c="dimmed">{message.endsWith("?") ? "" : "."} {remedy}</Text>
        )}
      </Text>
    </Group>
  );
  if (line === null || partial !== undefined || onShow === undefined) {
    return <Box px={6} py={3}>{content}</Box>;
  }
  return (
    <UnstyledButton
      px={6}
      py={3}
      onClick={() => onShow({ part, line, column: column ?? 1 })}
    >
      {content}
    </UnstyledButton>
  );
}

/** The frame of a mail, which is positioned, must not cover the line above. */
const LINE = {
  borderTop: "1px solid var(--mantine-color-default-border)",
  position: "relative",
} as const;
