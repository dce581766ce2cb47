/**
 * Text between two entries of a report. It never occurs within an id: quotation marks are escaped within JSON text, and
 * no field name can follow the one that ends a text.
 */
const BETWEEN = '},{"assertId":'

/** Some entries of a report, and the number of all its entries. */
export interface EntryBatch<Entry> {
  entries: readonly Entry[]
  deviceCount: number
}

/**
 * Reads the entries of a report as they arrive, many at a time: 100 000 entries are about 24 MB, and users should not
 * have to wait for the last one. If the service formats its JSON differently, all entries come at the end.
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
        // The last piece includes the end of the list and of the objects around it.
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
