export interface BoardRequest {
  method: string
  /** Path below /queues, decoded; `/` for the board's own page. */
  path: string
  query: Record<string, unknown>
  /** Empty if the request has no body. */
  body: Record<string, unknown>
}

export interface BoardAnswer {
  status: number
  type: string
  body: string | Buffer
}

/** A web page about the queues, with its static files and API. */
export interface QueueBoard {
  /** Answers a request; null if there is nothing at its path. */
  answer(request: BoardRequest): Promise<BoardAnswer | null>
  close(): Promise<void>
}
