import { call, Refusal } from './api.ts'
import { h } from './dom.ts'
import { errorText, say } from './messages.ts'

/** File formats of a report. The byte order mark tells spreadsheets that the CSV is UTF-8. */
const FORMATS = [
  ['CSV', 'csv&bom=1'],
  ['XLSX', 'xlsx'],
  ['Parquet', 'parquet'],
] as const

/** Makes buttons that save what a path of the API gives as a file. A plain link could not send the key. */
export function downloads(pathOf: () => string, signal: AbortSignal): HTMLElement {
  const outcome = h('span', { 'aria-live': 'polite', class: 'quiet' })
  const buttons = FORMATS.map(([name, format]) => {
    const button = h('button', { type: 'button', class: 'small', onclick: () => void save() }, name)
    const save = async (): Promise<void> => {
      button.disabled = true
      outcome.textContent = say('loading')
      outcome.textContent = await saved(`${pathOf()}&format=${format}`, signal)
      button.disabled = false
    }
    return button
  })
  return h(
    'div',
    { class: 'row downloads', role: 'group', 'aria-label': say('download') },
    say('download'),
    buttons,
    outcome,
  )
}

/** Saves a report. Returns what went wrong, or an empty text. */
async function saved(path: string, signal: AbortSignal): Promise<string> {
  try {
    const response = await call(path, { signal })
    const [, name] = /filename="(.+)"/.exec(response.headers.get('content-disposition') ?? '') ?? []
    const url = URL.createObjectURL(await response.blob())
    h('a', { href: url, download: name }).click()
    URL.revokeObjectURL(url)
    return ''
  } catch (error) {
    if (signal.aborted) return ''
    return error instanceof Refusal
      ? say('failed-with', { message: errorText(error.code, error.message) })
      : say('failed-offline')
  }
}
