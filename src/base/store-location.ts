import { CoolerError } from './errors.ts'

/** Tells whether a location names a database of PostgreSQL instead of a file. */
export const isPostgres = (location: string): boolean => /^postgres(ql)?:\/\//i.test(location)

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/i

/**
 * Returns a URL for each server that a location names, as `postgres://user:password@one:5432,other:5432/database`.
 *
 * @throws CoolerError `bad-configuration`
 */
export function serversOf(location: string, setting = 'COOLER_STORE'): string[] {
  const [, before = '', hosts = '', after = ''] = PARTS.exec(location) ?? []
  const urls = hosts.split(',').map((host) => before + host + after)
  for (const url of urls) {
    if (!isDatabase(url)) {
      throw new CoolerError(
        'bad-configuration',
        `${setting} is not the URL of a database: write postgres://user:password@host:5432/database`,
      )
    }
  }
  return urls
}

function isDatabase(text: string): boolean {
  try {
    const { username, password, pathname, searchParams } = new URL(text)
    for (const part of [username, password, pathname]) decodeURIComponent(part) // Throws for a percent sign alone.
    return pathname.length > 1 || searchParams.has('host')
  } catch {
    return false
  }
}

/** Returns how a location may be shown: the URL of a database without its password. */
export const shownLocation = (location: string): string =>
  isPostgres(location) ? location.replace(/^([^/]*\/\/[^:@/]*):[^@/]*@/, '$1@').replace(/[?#].*$/, '') : location

/** Requires a store in a file, which this program can copy. @throws CoolerError `bad-configuration` */
export function requireFileStore(location: string): void {
  if (!isPostgres(location)) return
  throw new CoolerError(
    'bad-configuration',
    "a store in PostgreSQL is backed up and restored by its server: set up point-in-time recovery (pgBackRest, Barman or your provider's)",
  )
}
