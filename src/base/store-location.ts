import { CoolerError } from './errors.ts'

/** Tells whether a location names a database of PostgreSQL instead of a file. */
export const isPostgres = (location: string): boolean => /^postgres(ql)?:\/\//i.test(location)

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/i

/**
 * Returns a URL for each server that a location names, as `postgres://user:password@one:5432,other:5432/database`.
 *
 * @throws CoolerError `bad-configuration`
 */
export function serversOf(location: string): string[] {
  const [, before = '', hosts = '', after = ''] = PARTS.exec(location) ?? []
  const urls = hosts.split(',').map((host) => before + host + after)
  for (const url of urls) {
    if (!URL.canParse(url) || (new URL(url).pathname.length <= 1 && !new URL(url).searchParams.has('host'))) {
      throw new CoolerError(
        'bad-configuration',
        'COOLER_STORE is not the URL of a database: write postgres://user:password@host:5432/database',
      )
    }
  }
  return urls
}

/** Returns how a location may be shown: the URL of a database without its password. */
export const shownLocation = (location: string): string =>
  isPostgres(location) ? location.replace(/^([^/]*\/\/[^:@/]*):[^@/]*@/, '$1@').replace(/[?#].*$/, '') : location
