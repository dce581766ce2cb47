/**
 * Between two entries of a report. A quotation mark within a JSON text is escaped, and behind one that ends a text no
 * name can stand: so this is never a part of an id, whatever the id holds.
 */
const BETWEEN = '},{"assertId":'

/** Some entries of a report, and of how many. */
export interface EntryBatch<Entry> {
  entries: readonly Entry[]
  deviceCount: number
}

/**
 * The entries of a report as they arrive, many at a time: 100 000 of them are some 24 MB, and nobody shall look at an
 * empty page until the last has come. Where a service writes its JSON otherwise, all come at the end.
 */
export async function* readEntries<Entry>(body: ReadableStream<Uint8Array>): AsyncGenerator<EntryBatch<Entry>> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let rest = ''
  let deviceCount: number | null = null
  for (;;) {
    const { done, value } = await reader.read()
    rest += done ? decoder.decode() : decoder.decode(value, { stream: true })
    const end = done ? rest.length : rest.lastIndexOf(BETWEEN) + 1
    if (end > 0) {
      const piece = rest.slice(0, end)
      rest = rest.slice(end + 1)
      if (deviceCount === null) {
        const { data } = JSON.parse(done ? piece : `${piece}]}}`) as Answer<Entry>
        deviceCount = data.deviceCount
        yield { entries: data.deviceStatusList, deviceCount }
      } else {
        // The last piece ends with the end of the list and of all that the list is in.
        const list = done ? piece.slice(0, piece.lastIndexOf(']')) : piece
        yield { entries: JSON.parse(`[${list}]`) as Entry[], deviceCount }
      }
    }
    if (done) return
  }
}

interface Answer<Entry> {
  data: { deviceCount: number; deviceStatusList: Entry[] }
}
