import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { EXAMPLES } from '../../src/cli/example.ts'
import { readConfig } from '../../src/config/config.ts'
import { SETTINGS } from '../../src/config/settings.ts'
import { readText } from '../helpers/source-files.ts'
import { temporaryFolder } from '../helpers/temporary-store.ts'
import { type Compose, composeFile } from './compose-file.ts'

const isThere = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0

/** Expects settings of a container of ours to be known and good. Passwords and API keys are for the operator to make. */
function expectSettings({ COOLER_API_KEYS, ...environment }: Record<string, string>): void {
  const known: string[] = SETTINGS.map(({ name }) => name)
  expect(Object.keys(environment).filter((name) => !known.includes(name))).toEqual([])
  const store = environment.COOLER_STORE.replace(/\$\{.*?\}/, 'password')
  expect(readConfig({ ...environment, COOLER_STORE: store }, {}).store).toBe(store)
}

describe('the compose file', () => {
  const compose: Compose = composeFile()
  const services = Object.entries(compose.services)
  const ours = services.filter(([, { image }]) => image === 'cooler-reports')
  const commandOf = (name: string): unknown => compose.services[name].command?.at(-1)

  test('has two API servers that land directly, two workers, a primary with a standby, and Redis', () => {
    expect(services.map(([name]) => name)).toEqual([
      'api-1',
      'api-2',
      'worker-1',
      'worker-2',
      'postgres',
      'standby',
      'redis',
    ])
    expect(ours.map(([name]) => commandOf(name))).toEqual(['serve', 'serve', 'work', 'work'])
    for (const [name, { environment = {} }] of ours) {
      expect(environment.COOLER_QUEUE).toBe(commandOf(name) === 'serve' ? 'direct' : undefined)
      expectSettings(environment)
    }
  })

  test('names only services, volumes, secrets and configs that there are', () => {
    const parts = (kind: 'volumes' | 'secrets' | 'configs') => Object.keys(compose[kind])
    for (const [name, service] of services) {
      expect(Object.keys(compose.services), name).toEqual(expect.arrayContaining(Object.keys(service.depends_on ?? {})))
      for (const needed of Object.keys(service.depends_on ?? {}))
        expect(compose.services[needed]).toHaveProperty('healthcheck.test')
      expect(parts('volumes'), name).toEqual(
        expect.arrayContaining((service.volumes ?? []).map((volume) => volume.split(':')[0])),
      )
      expect(parts('secrets'), name).toEqual(expect.arrayContaining(service.secrets ?? []))
      expect(parts('configs'), name).toEqual(
        expect.arrayContaining((service.configs ?? []).map(({ source }) => source)),
      )
    }
    const hosts = [...JSON.stringify(ours).matchAll(/[@/,](\w+):\d+/g)].map(([, host]) => host)
    expect([...new Set(hosts)].sort()).toEqual(['postgres', 'redis', 'standby'])
  })

  test('publishes the port that the container listens on, each on another one', () => {
    const ports = services.flatMap(([, service]) => service.ports ?? []).map((port) => port.split(':'))
    const { default: port } = SETTINGS.find(({ name }) => name === 'PORT') ?? {}
    expect(ports.map(([, inside]) => inside)).toEqual([port, port])
    expect(new Set(ports.map(([outside]) => outside)).size).toBe(2)
    const container = EXAMPLES.container.text()
    expect(container).toContain(` PORT=${port} `)
    expect(container).toContain('EXPOSE $PORT\n')
  })

  test.runIf(isThere('docker', 'compose', 'version'))('passes docker compose config', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'compose.yaml'), EXAMPLES.compose.text())
    writeFileSync(join(folder, 'api-keys.json'), '[]')
    const passwords = { POSTGRES_PASSWORD: 'a', REPLICATION_PASSWORD: 'b', STORE_PASSWORD: 'c' }
    const env = { ...process.env, ...passwords }
    const { status, stderr } = spawnSync('docker', ['compose', 'config', '--quiet'], { cwd: folder, env })
    expect([status, String(stderr)]).toEqual([0, ''])
  })
})

interface Probe {
  httpGet: { path: string; port: string }
}

interface Container {
  args: string[]
  env: { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string; key: string } } }[]
  ports?: { name: string; containerPort: number }[]
  startupProbe?: Probe
  livenessProbe?: Probe
  readinessProbe?: Probe
  volumeMounts: { name: string }[]
}

interface Manifest {
  kind: string
  metadata: { name: string }
  stringData: Record<string, string>
  spec: {
    replicas?: number
    minAvailable?: number
    ports?: { targetPort: string }[]
    selector: { matchLabels?: Record<string, string> } & Record<string, unknown>
    template: {
      metadata: { labels: Record<string, string> }
      spec: { containers: Container[]; volumes: { name: string }[] }
    }
  }
}

describe('the manifests for Kubernetes', () => {
  const documents = parseAllDocuments(EXAMPLES.kubernetes.text())
  const manifests = documents.map((document) => document.toJS() as Manifest)
  const of = (kind: string): Manifest[] => manifests.filter((manifest) => manifest.kind === kind)
  const [secret] = of('Secret')

  test('are of the kinds that are needed, without a word that is no YAML', () => {
    expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([])
    expect(manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'Secret cooler-reports',
      'Deployment cooler-api',
      'Deployment cooler-worker',
      'Service cooler-api',
      'PodDisruptionBudget cooler-api',
      'PodDisruptionBudget cooler-worker',
    ])
  })

  test('select pods that there are, of which one may be away', () => {
    const labels = of('Deployment').map(({ spec }) => spec.template.metadata.labels)
    expect(of('Deployment').map(({ spec }) => spec.selector.matchLabels)).toEqual(labels)
    expect(of('PodDisruptionBudget').map(({ spec }) => spec.selector.matchLabels)).toEqual(labels)
    expect(of('Service')[0].spec.selector).toEqual(labels[0])
    for (const { spec } of of('Deployment')) expect(spec.replicas).toBeGreaterThan(1)
    for (const { spec } of of('PodDisruptionBudget')) expect(spec.minAvailable).toBe(1)
  })

  test('give each container settings that are good, out of a secret that there is', () => {
    for (const { spec } of of('Deployment')) {
      const [{ env, volumeMounts }] = spec.template.spec.containers
      const settings = env.map(({ name, value, valueFrom }): [string, string] => {
        if (valueFrom === undefined) return [name, value ?? '']
        expect(valueFrom.secretKeyRef.name).toBe(secret.metadata.name)
        return [name, secret.stringData[valueFrom.secretKeyRef.key]]
      })
      expectSettings(Object.fromEntries(settings))
      expect(spec.template.spec.volumes.map(({ name }) => name)).toEqual(volumeMounts.map(({ name }) => name))
    }
  })

  test('probe the API on its port: a database that is away restarts nothing', () => {
    const [api, worker] = of('Deployment').map(({ spec }) => spec.template.spec.containers[0])
    expect([api, worker].map(({ args }) => args.at(-1))).toEqual(['serve', 'work'])
    const [port] = api.ports ?? []
    expect(String(port.containerPort)).toBe(api.env.find(({ name }) => name === 'PORT')?.value)
    expect(of('Service')[0].spec.ports?.[0].targetPort).toBe(port.name)
    const probes = [api.startupProbe, api.livenessProbe, api.readinessProbe].map((probe) => probe?.httpGet)
    const healthz = { path: '/healthz', port: port.name }
    expect(probes).toEqual([healthz, healthz, { path: '/readyz', port: port.name }])
    for (const { path } of [healthz, { path: '/readyz' }])
      expect(readText('src/web/api/status-routes.ts')).toContain(`'${path}'`)
    expect(worker).not.toHaveProperty('livenessProbe')
  })

  test.runIf(isThere('kubeconform', '-v'))('pass kubeconform', () => {
    const { status, stdout } = spawnSync('kubeconform', ['-strict', '-'], { input: EXAMPLES.kubernetes.text() })
    expect([status, String(stdout)]).toEqual([0, ''])
  })
})
