/** Lets one worker at a time work on a shard. That spares doing work twice; commits by version keep the figures right. */
export interface ShardTurns {
  /**
   * Runs `work` in the turn of a shard; returns null, without running it, while another worker has the turn. The turn of
   * a worker that dies ends within seconds, that of one that stands still some seconds later.
   */
  withShard<Result>(shard: number, work: () => Promise<Result>): Promise<{ result: Result } | null>
}
