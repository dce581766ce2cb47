/** Most items that chats show. */
export const MOST_IN_CHAT = 20

/** Returns the result of `make` with as many items as fit: at most MOST_IN_CHAT, and `mostBytes` of JSON. */
export function fitting<Made>(make: (most: number) => Made, mostBytes: number): Made {
  for (let most = MOST_IN_CHAT; ; most--) {
    const made = make(most)
    if (most === 0 || Buffer.byteLength(JSON.stringify(made)) <= mostBytes) return made
  }
}
