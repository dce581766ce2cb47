import { expectDocumented } from './documented.ts'

export interface Ask {
  /** In the place of the parameters in braces. */
  params?: Record<string, string>
  query?: string
  /** A text is the body as it is, anything else is sent as JSON. */
  body?: unknown
  headers?: Record<string, string>
}

/** What the calls of a listening service end with, each held against the document; `seen` gathers what there was. */
export const callsOf = (url: string | null, seen: Set<string>, always: Record<string, string> = {}) => {
  return async (call: string, { params = {}, query = '', body, headers = {} }: Ask = {}) => {
    const [method, path] = call.split(' ')
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name]))
    const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await fetch(`${url}${filled}${query}`, {
      method,
      headers: { 'content-type': 'application/json', ...always, ...headers },
      ...(sent === undefined ? {} : { body: sent as string }),
    })
    const contentType = answer.headers.get('content-type') ?? ''
    const text = await answer.text()
    const given = contentType.startsWith('application/json') ? JSON.parse(text) : text
    seen.add(
      expectDocumented(method, path, { status: answer.status, contentType, body: given, headers: answer.headers }),
    )
    return { status: answer.status, body: given }
  }
}
