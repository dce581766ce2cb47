/** Node options for a program whose clock is ahead by so many ms. */
export const ahead = (ms: number): string =>
  `--import=data:text/javascript,${encodeURIComponent(`const now = Date.now; Date.now = () => now() + ${ms}`)}`
