import { parse } from 'yaml'
import { EXAMPLES } from '../../src/cli/example.ts'

interface ComposeService {
  image: string
  command?: string[]
  entrypoint?: string[]
  environment?: Record<string, string>
  depends_on?: Record<string, { condition: string }>
  ports?: string[]
  volumes?: string[]
  secrets?: string[]
  configs?: { source: string; target: string }[]
}

export interface Compose {
  services: Record<string, ComposeService>
  configs: Record<string, { content: string }>
  volumes: Record<string, unknown>
  secrets: Record<string, unknown>
}

/** The compose file as Docker reads it, with its variables as they are. */
export const composeFile = (): Compose => parse(EXAMPLES.compose.text(), { merge: true, strict: true })

/** A text of the compose file as a container sees it: a doubled dollar sign is one. */
export const inContainer = (text: string): string => text.replaceAll('$$', '$')
