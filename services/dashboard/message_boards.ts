import type { Logger } from "@posthaste/telemetry";
import type { MessageRow, StateTotals } from "./interface/messages.ts";

/** The content of a board: an account's newest messages, and counts of those that need attention. */
export interface BoardState {
  rows: MessageRow[];
  counts: StateTotals;
}

/** The changes of a board since the last report. */
export interface BoardChange {
  /** New and changed lines; in the first report all. */
  rows: MessageRow[];
  /** Missing if they are unchanged. */
  counts?: StateTotals;
}

/** What boards need. */
export interface BoardDeps {
  look(accountId: string): Promise<BoardState>;
  logger: Pick<Logger, "warn">;
  /** Time between two updates, in milliseconds. @default {1000} */
  everyMs?: number;
}

/** The boards of accounts that are being watched: each is updated once for all its viewers. */
export interface MessageBoards extends Disposable {
  /** Reports changes, beginning with everything that exists. Returns a function that ends the reports. */
  watch(accountId: string, tell: (change: BoardChange) => void): () => void;
  /** Returns how many viewers an account has. */
  viewers(accountId: string): number;
}

interface Board {
  listeners: Set<(change: BoardChange) => void>;
  /** The reported lines, by id. */
  reported: Map<string, string>;
  state: BoardState | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** Opens boards; nothing is read until a viewer comes. */
export function openMessageBoards({ look, logger, everyMs = 1000 }: BoardDeps): MessageBoards {
  const boards = new Map<string, Board>();

  async function turn(accountId: string, board: Board): Promise<void> {
    try {
      const state = await look(accountId);
      const change = changeOf(board, state);
      board.state = state;
      board.reported = new Map(state.rows.map((row) => [row.id, JSON.stringify(row)]));
      if (change.rows.length > 0 || change.counts !== undefined) {
        for (const tell of board.listeners) tell(change);
      }
    } catch (error) {
      logger.warn("Cannot read the newest messages, retrying", { accountId, error });
    }
    if (boards.get(accountId) !== board) return;
    board.timer = setTimeout(() => void turn(accountId, board), everyMs);
  }

  function open(accountId: string): Board {
    const board: Board = {
      ...{ listeners: new Set(), reported: new Map(), state: undefined, timer: undefined },
    };
    boards.set(accountId, board);
    void turn(accountId, board);
    return board;
  }

  function close(accountId: string, board: Board): void {
    clearTimeout(board.timer);
    if (boards.get(accountId) === board) boards.delete(accountId);
  }

  return {
    watch(accountId, tell) {
      const board = boards.get(accountId) ?? open(accountId);
      if (board.state !== undefined) tell(board.state);
      board.listeners.add(tell);
      return () => {
        board.listeners.delete(tell);
        if (board.listeners.size === 0) close(accountId, board);
      };
    },
    viewers: (accountId) => boards.get(accountId)?.listeners.size ?? 0,
    [Symbol.dispose]() {
      for (const [accountId, board] of boards) close(accountId, board);
    },
  };
}

function changeOf({ reported, state }: Board, { rows, counts }: BoardState): BoardChange {
  const changed = rows.filter((row) => reported.get(row.id) !== JSON.stringify(row));
  const isSame = JSON.stringify(state?.counts) === JSON.stringify(counts);
  return { rows: changed, ...(isSame ? {} : { counts }) };
}
