import { readFileSync } from 'node:fs'
import { ERRORS, type ErrorCode } from '../../base/errors.ts'
import { METRICS } from '../../base/metrics.ts'
import { PROJECT } from '../../base/project-folder.ts'
import { REASON_MEANINGS } from '../../event/reasons.ts'
import { ERROR_ANSWERS, START_ERRORS } from '../api/error-answers.ts'

/** The chapters for operators and producers, in their order: each a file `schema/reference/NAME.md`. */
export const CHAPTERS = [
  'errors',
  'rejected-events',
  'producers',
  'files',
  'alerts',
  'upkeep',
  'storage',
  'erasing',
  'redis',
  'queues',
  'several-machines',
  'security',
  'log',
  'metrics',
  'traces',
  'faults',
] as const

const table = (columns: readonly string[], rows: readonly (readonly unknown[])[]): string =>
  [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const meaningOf = (code: ErrorCode): string =>
  Object.hasOwn(START_ERRORS, code)
    ? START_ERRORS[code as keyof typeof START_ERRORS]
    : ERROR_ANSWERS[code as keyof typeof ERROR_ANSWERS].meaning

/** The tables that are made of code. A chapter has one after a line `<!-- table: NAME -->`. */
const TABLES: Readonly<Record<string, () => string>> = {
  errors: () =>
    table(
      ['code', 'status', 'meaning'],
      (Object.keys(ERRORS) as ErrorCode[]).map((code) => [`\`${code}\``, ERRORS[code].status, meaningOf(code)]),
    ),
  reasons: () =>
    table(
      ['reason', 'what is wrong'],
      Object.entries(REASON_MEANINGS).map(([reason, meaning]) => [`\`${reason}\``, meaning]),
    ),
  metrics: () =>
    table(
      ['metric', 'kind', 'meaning'],
      Object.entries(METRICS).map(([name, [kind, help]]) => [`\`${name}\``, kind, help]),
    ),
}

const MARKED = /^(<!-- table: (\w+) -->\n)(?:\|.*\n)*/gm

/** Returns a chapter with its tables as the code has them now. */
export const withTables = (chapter: string): string =>
  chapter.replace(MARKED, (_, mark: string, name: string) => `${mark}${TABLES[name]()}\n`)

const chapterFile = (name: string): string => `${PROJECT}/schema/reference/${name}.md`

/** Returns all chapters as one text of CommonMark with tables; their titles are headings of the second level. */
export const renderChapters = (): string =>
  CHAPTERS.map((name) => withTables(readFileSync(chapterFile(name), 'utf8')))
    .map((chapter) =>
      chapter
        .replace(/^# /, '## ')
        .replace(/^<!--.*\n/gm, '')
        .trimEnd(),
    )
    .join('\n\n')
