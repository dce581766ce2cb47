import type { LightMyRequestResponse as Answered } from 'fastify'
import { type ApiKeyEntry, makeKey } from '../../src/config/api-keys.ts'
import { type AppFixture, appFixture } from './app-fixture.ts'

/** What is asked of a key, but its name. */
export type KeyWish = Omit<ApiKeyEntry, 'name' | 'sha256'>

export interface KeyedApp<Name extends string> extends Pick<AppFixture, 'app' | 'service'> {
  keys: Record<Name, string>
  /** A request by the holder of a key; with null by someone without. A body that is no text is sent as JSON. */
  ask(name: Name | null, method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, body?: unknown): Promise<Answered>
  /** Lands events and rolls their days up, past the application. */
  fill(events: readonly unknown[]): Promise<void>
}

/** Keys as they are made, with the setting that lets them in. */
export function makeKeys<Name extends string>(wishes: Record<Name, KeyWish>) {
  const made = Object.entries<KeyWish>(wishes).map(([name, wish]) => ({ name, ...makeKey({ name, ...wish }) }))
  const keys = Object.fromEntries(made.map(({ name, key }) => [name, key])) as Record<Name, string>
  return { keys, settings: { COOLER_API_KEYS: JSON.stringify(made.map(({ entry }) => entry)) } }
}

export const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` })

/** The application with these keys, on a store of its own. */
export async function keyedApp<Name extends string>(
  wishes: Record<Name, KeyWish>,
  more: Record<string, string> = {},
): Promise<KeyedApp<Name>> {
  const { keys, settings } = makeKeys(wishes)
  const { app, service } = await appFixture({ ...settings, ...more })
  return {
    app,
    service,
    keys,
    ask(name, method, url, body) {
      const payload = typeof body === 'string' ? body : JSON.stringify(body)
      const headers = name === null ? {} : bearer(keys[name])
      return app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) })
    },
    async fill(events) {
      const { rejected } = await service.intake.accept({ events })
      if (rejected > 0) throw new Error('an event was rejected')
      await service.pipeline.runner.run({ now: Date.now(), refresh: true })
    },
  }
}
