import { parseAst } from 'rolldown/parseAst'
import type { SourceFile } from './source-files.ts'

/** A text literal of a source file. */
export interface SqlLiteral {
  path: string
  /** Constants are filled in; `hole` stands for whatever else is inserted at run time. */
  sql: string
  isComplete: boolean
}

interface Node {
  type: string
  [key: string]: unknown
}

const HOLE = 'hole'
const BEGINS_SQL =
  /^\s*(SELECT|INSERT|UPDATE|DELETE|COPY|LOCK|ALTER|CREATE|DROP|VACUUM|WITH|TRUNCATE|MERGE|BEGIN|SET|PREPARE|EXECUTE|LISTEN|NOTIFY|DECLARE|SAVEPOINT)\b/i

/** Returns all literals of files that begin with a verb of SQL, wherever they are used. */
export function sqlLiterals(files: readonly SourceFile[]): SqlLiteral[] {
  const parsed = files.map(({ path, lines }) => ({ path, root: parseAst(lines.join('\n'), { lang: 'ts' }) as unknown }))
  const constants = new Map<string, Node>()
  for (const { root } of parsed) for (const node of nodesOf(root)) noteConstant(node, constants)
  return parsed.flatMap(({ path, root }) =>
    [...nodesOf(root)]
      .map((node) => textOf(node, constants))
      .filter((text) => text !== null && BEGINS_SQL.test(text))
      .map((text) => ({ path, sql: text as string, isComplete: !new RegExp(`\\b${HOLE}\\b`).test(text as string) })),
  )
}

function* nodesOf(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const one of value) yield* nodesOf(one)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  if (typeof (value as Node).type === 'string') yield value as Node
  for (const one of Object.values(value)) yield* nodesOf(one)
}

function noteConstant(node: Node, constants: Map<string, Node>): void {
  if (node.type !== 'VariableDeclarator') return
  const { id, init } = node as unknown as { id: Node; init: Node | null }
  if (id.type === 'Identifier' && init !== null) constants.set(id.name as string, init)
}

/** Returns the text of a literal or of a sum of literals; null for any other node. */
function textOf(node: Node, constants: ReadonlyMap<string, Node>, depth = 0): string | null {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : null
  if (node.type === 'BinaryExpression' && node.operator === '+') {
    const [left, right] = [node.left, node.right].map((one) => textOf(one as Node, constants, depth))
    return left === null && right === null ? null : `${left ?? HOLE}${right ?? HOLE}`
  }
  if (node.type !== 'TemplateLiteral') return null
  const { quasis, expressions } = node as unknown as { quasis: { value: { cooked: string } }[]; expressions: Node[] }
  return quasis
    .map(
      ({ value }, nth) => value.cooked + (nth < expressions.length ? filled(expressions[nth], constants, depth) : ''),
    )
    .join('')
}

/** Returns the text that a constant inserts. */
function filled(node: Node, constants: ReadonlyMap<string, Node>, depth: number): string {
  const constant = node.type === 'Identifier' ? constants.get(node.name as string) : undefined
  return (constant !== undefined && depth < 3 ? textOf(constant, constants, depth + 1) : null) ?? HOLE
}
