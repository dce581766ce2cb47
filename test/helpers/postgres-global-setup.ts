import type { TestProject } from 'vitest/node'
import { startPostgresServer } from './postgres-server.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of the maintenance database of the PostgreSQL server that all tests share, each in a database of its own. */
    postgresUrl: string
  }
}

/** Starts the PostgreSQL server of the tests: a real one, of our own; nothing that it holds outlives the run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgresServer({ parent: project.config.env.TMPDIR })
  project.provide('postgresUrl', server.url())
  return server.stop
}
