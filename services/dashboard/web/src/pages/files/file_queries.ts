import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import type { AssetList, AssetView } from "../../../../interface/assets.ts";
import { addressOf, request } from "../../api.ts";
import { nameForFile } from "./file_name.ts";

/** Returns the files that the account keeps. */
export function useFiles({ enabled = true } = {}) {
  return useQuery({
    queryKey: ["assets"],
    queryFn: ({ signal }) => request<AssetList>("/assets", { signal }),
    enabled,
  });
}

/** Returns the address of a file's bytes; it changes with them. */
export function fileAddress({ name, sha256 }: Pick<AssetView, "name" | "sha256">): string {
  return `${addressOf(`/assets/${name}/content`)}&v=${sha256.slice(0, 16)}`;
}

/** Stores a file under a name, or replaces the one that has the name. */
export async function putFile(name: string, file: File): Promise<AssetView> {
  return await request<AssetView>(`/assets/${name}`, { method: "PUT", file });
}

/** Returns a function that stores new files, each under a name of its own. It returns them. */
export function useUpload(): (files: readonly File[]) => Promise<AssetView[]> {
  const client = useQueryClient();
  return async (files) => {
    const { assets } = await client.fetchQuery({
      queryKey: ["assets"],
      queryFn: ({ signal }) => request<AssetList>("/assets", { signal }),
      staleTime: 0,
    });
    const taken = new Set(assets.map(({ name }) => name));
    const stored: AssetView[] = [];
    try {
      for (const file of files) {
        const name = nameForFile(file.name, taken);
        taken.add(name);
        stored.push(await putFile(name, file));
      }
    } finally {
      await client.invalidateQueries({ queryKey: ["assets"] });
    }
    return stored;
  };
}

const CARRIED = /(["'(=]\s*)cid:([\w.-]{1,64})/g;

/** Where the images of a mail are. */
export interface ImageSource {
  /** Key of the queries. */
  key: readonly string[];
  /** Path of the image below `/api`, by its content id. */
  pathOf(name: string): string;
}

/** The images that the account keeps now. */
const KEPT: ImageSource = { key: ["assets"], pathOf: (name) => `/assets/${name}/content` };

/** Returns the images that a mail carries, as `data:` addresses by content id, once they are loaded. */
export function useCarriedImages(
  html: string,
  { key, pathOf }: ImageSource = KEPT,
): Readonly<Record<string, string>> {
  const names = [...new Set([...html.matchAll(CARRIED)].map(([, , name = ""]) => name))];
  return useQueries({
    queries: names.slice(0, 50).map((name) => ({
      queryKey: [...key, name, "data"],
      queryFn: ({ signal }: { signal: AbortSignal }) => dataAddress(pathOf(name), signal),
      retry: false,
      staleTime: key === KEPT.key ? 0 : Infinity,
    })),
    combine: (results) =>
      Object.fromEntries(
        results.flatMap(({ data }, index) =>
          data === undefined ? [] : [[names[index] ?? "", data]]
        ),
      ),
  });
}

/** Returns a mail's HTML with the images that it carries inside; one that is not loaded is empty. */
export function withCarriedImages(html: string, images: Readonly<Record<string, string>>): string {
  return html.replace(
    CARRIED,
    (_, before: string, name: string) => `${before}${images[name] ?? "data:,"}`,
  );
}

async function dataAddress(path: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(addressOf(path), { signal });
  if (!response.ok) throw new Error(`Cannot load the image "${path}"`);
  const bytes = await response.blob();
  return await new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new Error(`Cannot read the image "${path}"`));
    reader.readAsDataURL(bytes);
  });
}
