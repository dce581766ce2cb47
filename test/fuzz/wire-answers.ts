import type { Answer } from './http-answers.ts'

/** The answers in what a connection gave, each whole; interim ones are left out. Throws where there is anything else. */
export function answersIn(bytes: Buffer, method = 'GET'): Answer[] {
  const answers: Answer[] = []
  for (let rest = bytes; rest.length > 0; ) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) throw new Error(`no head of an answer: ${rest.subarray(0, 200).toString('latin1')}`)
    const [first, ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1])
    if (!(status >= 100)) throw new Error(`no status line: ${first}`)
    rest = rest.subarray(end + 4)
    if (status < 200) continue
    const headers = Object.fromEntries(
      lines.map((line) => line.split(/: /, 2)).map(([name, value]) => [name.toLowerCase(), value]),
    )
    const { body, length } = bodyOf(rest, headers)
    if (rest.length < length) throw new Error(`an answer of ${length} bytes is cut short at ${rest.length}`)
    answers.push({ method, status, headers, body: body.toString('utf8') })
    rest = rest.subarray(length)
  }
  return answers
}

function bodyOf(rest: Buffer, headers: Record<string, string | undefined>): { body: Buffer; length: number } {
  const length = Number(headers['content-length'])
  if (Number.isInteger(length)) return { body: rest.subarray(0, length), length }
  const end = rest.indexOf('0\r\n\r\n')
  return { body: rest.subarray(0, Math.max(0, end)), length: end < 0 ? rest.length : end + 5 }
}

/** Whether there is at least one whole answer in these bytes. */
export function isAnswered(bytes: Buffer): boolean {
  try {
    return answersIn(bytes).length > 0
  } catch {
    return false
  }
}
