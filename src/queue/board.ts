export interface BoardRequest {
  method: string
  /** Below /queues, decoded; of the board's own page `/`. */
  path: string
  query: Record<string, unknown>
  /** Empty where there is none. */
  body: Record<string, unknown>
}

export interface BoardAnswer {
  status: number
  type: string
  body: string | Buffer
}

/** A page on the queues, with what it is made of and what it asks for. */
export interface QueueBoard {
  /** Null where there is nothing at that path. */
  answer(request: BoardRequest): Promise<BoardAnswer | null>
  close(): Promise<void>
}
