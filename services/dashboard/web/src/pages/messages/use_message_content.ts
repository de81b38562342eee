import { useQuery } from "@tanstack/react-query";
import type { ContentView, MessageView } from "../../../../interface/messages.ts";
import { request } from "../../api.ts";

/** Reads the mail of a message, while it is kept. All parts of its page share one reading, which is audited. */
export function useMessageContent({ id, contentRemovedAt }: MessageView) {
  return useQuery({
    queryKey: ["messages", id, "content"],
    queryFn: ({ signal }) => request<ContentView>(`/messages/${id}/content`, { signal }),
    enabled: contentRemovedAt === null,
    staleTime: Infinity,
  });
}
