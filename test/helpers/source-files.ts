import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export interface SourceFile {
  /** From the project's root, with slashes. */
  path: string
  lines: readonly string[]
}

export interface Import {
  from: string
  /** A path from the project's root, or a package's name. */
  to: string
  /** Only types: nothing is left of it at run time. */
  typeOnly: boolean
}

export const readText = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** The TypeScript files of some folders, sorted. */
export function sourceFiles(...folders: readonly string[]): SourceFile[] {
  const paths = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`),
  )
  return paths.sort().map((path) => ({ path, lines: readText(path).replace(/\n$/, '').split('\n') }))
}

const IMPORT = /^(?:import|export) ((?:type )?(?:[\w$]+(?:, )?)?(?:\{[^}]*\}|\*(?: as [\w$]+)?)?) from '([^']+)'$/gm

/** What a file imports, or exports from elsewhere; it must be formatted as the linter does. */
export function importsOf({ path, lines }: SourceFile): Import[] {
  return [...lines.join('\n').matchAll(IMPORT)].map(([, clause, target]) => ({
    from: path,
    to: target.startsWith('.') ? posix.join(dirname(path), target) : packageName(target),
    typeOnly: isTypeOnly(clause),
  }))
}

const packageName = (target: string): string =>
  target.startsWith('node:') ? target : target.split('/', target.startsWith('@') ? 2 : 1).join('/')

function isTypeOnly(clause: string): boolean {
  if (/^\s*type\b/.test(clause)) return true
  const names = /^\s*\{([\s\S]*)\}\s*$/.exec(clause)?.[1].split(',') ?? []
  const given = names.map((name) => name.trim()).filter((name) => name !== '')
  return given.length > 0 && given.every((name) => name.startsWith('type '))
}

/** Lengths of the functions of a file, in lines, by the line on which each begins; told from the indentation. */
export function functionLengths({ lines }: SourceFile): Map<number, number> {
  const begins =
    /\bfunction\b|=> \{$|^ +(?!if\b|for\b|while\b|switch\b|catch\b|return\b|await\b|super\b)(?:(?:async|static|get|set|override) |\*)*[#\w]+\(.*(?:\{|\()$/
  const lengths = new Map<number, number>()
  for (const [index, line] of lines.entries()) {
    if (!begins.test(line)) continue
    const indent = ' '.repeat(line.length - line.trimStart().length)
    const end = lines.findIndex(
      (other, at) => at > index && other.startsWith(`${indent}}`) && /^ *\}[),;\]]*$/.test(other),
    )
    if (end > 0) lengths.set(index + 1, end - index + 1)
  }
  return lengths
}
