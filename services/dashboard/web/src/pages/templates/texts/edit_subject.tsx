import { UnstyledButton } from "@mantine/core";
import type { ReactNode } from "react";
import { readMarks, WHOLE } from "../../../../../texts/read_marks.ts";
import { SUBJECT } from "./text_editing.ts";
import type { TextEditing } from "./use_text_editing.ts";

/** The subject of a preview, which a click opens for editing. */
export function EditSubject({ editing, children }: { editing: TextEditing; children: ReactNode }) {
  const { marked } = editing;
  if (marked === null || marked.subject === null) return children;
  const shown = readMarks(marked.subject).values.get(WHOLE) ?? [];
  return (
    <UnstyledButton
      className="text-subject"
      title="Edit the subject"
      onClick={({ currentTarget }) => {
        const { left, top, width, height } = currentTarget.getBoundingClientRect();
        editing.open({ target: SUBJECT, box: { left, top, width, height }, shown });
      }}
    >
      {children}
    </UnstyledButton>
  );
}
