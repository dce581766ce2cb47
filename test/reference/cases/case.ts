/** Many events by rule: event i is at `startAt + i * everyMs`, and takes field values from `cycle` in turn. */
export interface Generated {
  count: number
  startAt: string | number
  everyMs: number
  event: Record<string, unknown>
  cycle?: Record<string, unknown[]>
  skip?: number[]
}

export interface Expected {
  status: number | number[]
  deviceCount?: number
  exact?: boolean
  order?: string[]
  entries?: Record<string, Record<string, unknown>>
}

export interface Selection {
  assertIds?: string[] | null
  assertIdsGenerated?: { prefix: string; count: number }
}

/** What is done or asked; steps that the reference does not know (`rollup`, `rawRequest`) have none of these. */
export interface Step {
  post?: unknown[]
  postText?: string
  contentType?: string
  base64?: boolean
  postGenerated?: Generated
  expectPost?: { accepted?: number; rejected?: number; reasons?: (string | null)[]; indexes?: number[] }
  daily?: Selection & { day: number }
  summary?: Selection & { startDay: number; endDay: number }
  expect?: Expected
}

/** A black-box case: telemetry in, figures out. */
export interface Case {
  id: string
  steps: Step[]
}
