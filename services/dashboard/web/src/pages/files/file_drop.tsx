import { Box, Text } from "@mantine/core";
import { type DragEvent, type ReactNode, useState } from "react";

/** Takes files that are dropped on its content. */
export function FileDrop({ onFiles, disabled = false, children }: {
  onFiles: (files: File[]) => void;
  disabled?: boolean;
  children: ReactNode;
}) {
  const [isOver, setOver] = useState(false);
  if (disabled) return children;
  const over = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    setOver(true);
  };
  const leave = (event: DragEvent) => {
    if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const files = [...event.dataTransfer.files];
    if (files.length > 0) onFiles(files);
  };
  return (
    <Box pos="relative" onDragOver={over} onDragLeave={leave} onDrop={drop}>
      {children}
      {isOver && (
        <Box style={OVERLAY} aria-hidden>
          <Text fw={600}>Drop to store</Text>
        </Box>
      )}
    </Box>
  );
}

const OVERLAY = {
  position: "absolute",
  inset: 0,
  zIndex: 10,
  display: "grid",
  placeItems: "center",
  pointerEvents: "none",
  border: "2px dashed var(--mantine-primary-color-filled)",
  borderRadius: "var(--mantine-radius-md)",
  background: "light-dark(rgba(255,255,255,.85), rgba(26,27,30,.85))",
} as const;
