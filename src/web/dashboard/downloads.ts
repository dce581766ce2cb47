import { call } from './api.ts'
import { button, h } from './dom.ts'
import { say } from './messages.ts'
import { saidOf } from './trouble.ts'

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
    const saves = button(name, () => void save(), { kind: 'small' })
    const save = async (): Promise<void> => {
      saves.disabled = true
      outcome.textContent = say('loading')
      outcome.textContent = await saved(`${pathOf()}&format=${format}`, signal)
      saves.disabled = false
    }
    return saves
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
    return saidOf(error)
  }
}
