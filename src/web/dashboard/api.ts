/** An error answer: its status, its code, and the message of the service. */
export class Refusal extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** Key in the session storage, which belongs to this tab and is deleted with it. */
const KEY = 'cooler-key'

/** Tells whether this tab has a key. */
export const hasKey = (): boolean => sessionStorage.getItem(KEY) !== null
/** Keeps a key for as long as the tab is open. */
export const keepKey = (key: string): void => sessionStorage.setItem(KEY, key)
/** Forgets the key of this tab. */
export const forgetKey = (): void => sessionStorage.removeItem(KEY)

export interface Call {
  /** Sent as JSON. */
  body?: unknown
  /** GET unless given; POST with a body. */
  method?: 'POST' | 'DELETE'
  signal: AbortSignal
}

/** Calls the API with the key of this tab, if it has one. @throws Refusal */
export async function call(path: string, { body, method, signal }: Call): Promise<Response> {
  const key = sessionStorage.getItem(KEY)
  const headers = new Headers(key === null ? {} : { authorization: `Bearer ${key}` })
  if (body !== undefined) headers.set('content-type', 'application/json')
  const sent = body === undefined ? (method ? { method } : {}) : { method: 'POST', body: JSON.stringify(body) }
  const response = await fetch(path, { signal, credentials: 'omit', headers, ...sent })
  if (response.ok) return response
  const error = (await response.json().catch(() => ({}))) as { code?: string; message?: string }
  throw new Refusal(response.status, error.code ?? '', error.message ?? response.statusText)
}

/** Returns the JSON that a call answers, and lets the page wait for it. @throws Refusal */
export function askNow<Answer>(path: string): Answer {
  const key = sessionStorage.getItem(KEY)
  const request = new XMLHttpRequest()
  request.open('GET', path, false)
  if (key !== null) request.setRequestHeader('authorization', `Bearer ${key}`)
  request.send()
  if (request.status !== 200) throw new Refusal(request.status, '', request.statusText)
  return JSON.parse(request.responseText) as Answer
}

/** Returns the JSON that a call answers. */
export async function ask<Answer>(path: string, request: Call): Promise<Answer> {
  return (await call(path, request)).json() as Promise<Answer>
}
