import { Center } from "@mantine/core";
import { TbFile, TbTypography } from "react-icons/tb";
import type { AssetView } from "../../../../interface/assets.ts";
import { fileAddress } from "./file_queries.ts";

/** A stored image, small, or a sign for another file. */
export function Thumbnail({ file, height }: { file: AssetView; height: number }) {
  const Sign = file.contentType.startsWith("font/") ? TbTypography : TbFile;
  const isImage = file.contentType.startsWith("image/");
  return (
    <Center h={height} c="dimmed" style={isImage ? BACKGROUND : PLAIN}>
      {isImage
        ? (
          <img
            src={fileAddress(file)}
            alt=""
            loading="lazy"
            style={{ maxWidth: "100%", maxHeight: height, objectFit: "contain", display: "block" }}
          />
        )
        : <Sign size={Math.min(40, height / 2)} aria-hidden />}
    </Center>
  );
}

const PLAIN = {
  borderRadius: "var(--mantine-radius-sm)",
  background: "var(--mantine-color-default-hover)",
};

/** A chequered ground shows what is transparent, in both colour schemes. */
const BACKGROUND = {
  overflow: "hidden",
  borderRadius: "var(--mantine-radius-sm)",
  background:
    "repeating-conic-gradient(light-dark(#e9ecef, #4a4d52) 0 25%, light-dark(#f8f9fa, #5b5e63) 0 50%)" +
    " 0 0 / 16px 16px",
} as const;
