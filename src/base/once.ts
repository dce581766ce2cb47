/** Returns a function that runs `make` at its first call and returns the same result afterwards. After a failure the next call tries again. */
export function once<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | null = null
  return () => {
    if (made === null) {
      const attempt = make()
      attempt.catch(() => {
        if (made === attempt) made = null
      })
      made = attempt
    }
    return made
  }
}
