import { ActionIcon, Box, Code, CopyButton, Group, Tooltip } from "@mantine/core";
import { TbCheck, TbCopy } from "react-icons/tb";

/** A button that copies a text. */
export function CopyText({ text, label = "Copy" }: { text: string; label?: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? "Copied" : label}>
          <ActionIcon
            variant="subtle"
            color={copied ? "teal" : "gray"}
            onClick={copy}
            aria-label={copied ? "Copied" : label}
          >
            {copied ? <TbCheck size={16} /> : <TbCopy size={16} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}

/** A piece of code with a button that copies it. */
export function CopyCode({ code, label }: { code: string; label?: string }) {
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <Code block flex={1} miw={0} style={{ overflow: "auto", whiteSpace: "pre" }} tabIndex={0}>
        {code}
      </Code>
      {/* Level with the first line. */}
      <Box mt={5}>
        <CopyText text={code} {...(label === undefined ? {} : { label })} />
      </Box>
    </Group>
  );
}
