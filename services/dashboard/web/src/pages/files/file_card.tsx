import { ActionIcon, FileButton, Group, Menu, Paper, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { TbDots, TbDownload, TbPencil, TbReplace, TbTrash } from "react-icons/tb";
import type { AssetDetail, AssetView } from "../../../../interface/assets.ts";
import { request } from "../../api.ts";
import { confirmAction } from "../../parts/confirm.tsx";
import { CopyText } from "../../parts/copy_text.tsx";
import { showDone, showError } from "../../parts/show_outcome.ts";
import { DescribeFile } from "./describe_file.tsx";
import { sizeText } from "../templates/size_text.ts";
import { fileUse } from "./file_use.ts";
import { fileAddress, putFile } from "./file_queries.ts";
import { removalText } from "./removal_text.ts";
import { Thumbnail } from "./thumbnail.tsx";

/** A stored file: what it looks like, how templates name it, and its actions. */
export function FileCard({ file, mayEdit }: { file: AssetView; mayEdit: boolean }) {
  const { name, alt, contentType } = file;
  const isImage = contentType.startsWith("image/");
  const { text, readers } = fileUse(file);
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <Paper withBorder p="sm">
      <Stack gap="xs">
        <Thumbnail file={file} height={120} />
        <Group justify="space-between" align="flex-start" wrap="nowrap" gap="xs">
          <Stack gap={2} miw={0}>
            <Text size="sm" fw={550} style={{ overflowWrap: "anywhere" }}>{name}</Text>
            <Text size="xs" c="dimmed">{describeFile(file)}</Text>
          </Stack>
          <Group gap={0} wrap="nowrap">
            <CopyText text={text} label={`Copy what ${readers} write for ${name}`} />
            <Actions {...{ file, mayEdit }} describe={open} />
          </Group>
        </Group>
        {isImage && (
          <Text size="xs" {...(alt === "" ? { c: "dimmed" } : {})} lineClamp={2} title={alt}>
            {alt === "" ? "No description" : alt}
          </Text>
        )}
      </Stack>
      <DescribeFile file={file} opened={isOpen} onClose={close} />
    </Paper>
  );
}

function Actions({ file, mayEdit, describe }: {
  file: AssetView;
  mayEdit: boolean;
  describe: () => void;
}) {
  const { name, filename, contentType } = file;
  const client = useQueryClient();
  const choose = useRef<() => void>(null);
  const changed = () => client.invalidateQueries({ queryKey: ["assets"] });
  const replace = async (chosen: File | null) => {
    if (chosen === null) return;
    try {
      await putFile(name, chosen);
      await changed();
      showDone(`Replaced ${name}. Publish the templates that use it again to show the new file`);
    } catch (error) {
      showError(error);
    }
  };
  const remove = async () => {
    try {
      const { usedBy } = await request<AssetDetail>(`/assets/${name}`);
      confirmAction({
        title: `Remove the file ${name}?`,
        text: removalText(usedBy),
        label: "Remove",
        done: `The file ${name} is removed`,
        act: async () => {
          await request(`/assets/${name}`, { method: "DELETE" });
          await changed();
        },
      });
    } catch (error) {
      showError(error);
    }
  };
  return (
    <>
      <FileButton
        onChange={(chosen) => void replace(chosen)}
        accept={contentType.split(";")[0] ?? ""}
      >
        {({ onClick }) => {
          choose.current = onClick;
          return null;
        }}
      </FileButton>
      <Menu position="bottom-end" width={200}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${name}`}>
            <TbDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            component="a"
            href={fileAddress(file)}
            download={filename}
            leftSection={<TbDownload size={16} />}
          >
            Download
          </Menu.Item>
          {mayEdit && (
            <>
              <Menu.Item leftSection={<TbPencil size={16} />} onClick={describe}>
                Describe
              </Menu.Item>
              <Menu.Item
                leftSection={<TbReplace size={16} />}
                onClick={() => choose.current?.()}
              >
                Replace
              </Menu.Item>
              <Menu.Divider />
              <Menu.Item
                color="red"
                leftSection={<TbTrash size={16} />}
                onClick={() => void remove()}
              >
                Remove
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

/** Returns the kind and the sizes of a file: `PNG, 200 × 80, 3.4 KB`. */
function describeFile({ contentType, width, height, size }: AssetView): string {
  const [type = ""] = contentType.split(";");
  const kind = type === "text/plain"
    ? "Text"
    : type.slice(type.indexOf("/") + 1).replace(/\+xml$/, "").toUpperCase();
  const pixels = width === null || height === null ? [] : [`${width} × ${height}`];
  return [kind, ...pixels, sizeText(size)].join(", ");
}
