import { execFile, spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { METRICS } from '../../src/base/metrics.ts'
import { EXAMPLES } from '../../src/cli/example.ts'
import { ALERTS } from '../../src/cli/examples/alerts.ts'
import { DOCTOR_OF_UNIT } from '../../src/cli/examples/system.ts'
import { readText } from '../helpers/source-files.ts'
import { temporaryService } from '../helpers/temporary-service.ts'
import { temporaryFolder } from '../helpers/temporary-store.ts'
import { cooler } from './cooler.ts'

/** Names of our metrics in a text, without what a histogram puts behind its own. */
const metricsIn = (text: string): string[] =>
  [...text.matchAll(/cooler_[a-z_]+/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, ''))

describe('an example', () => {
  test.each(Object.entries(EXAMPLES))('%s is printed', async (name, { text }) => {
    const { code, stdout } = await cooler().run(['example', name])
    expect(code).toBe(0)
    expect(stdout.trimEnd()).toBe(text().trimEnd())
  })

  test.each(['alerts', 'grafana'] as const)('of %s names no metric that there is not', (name) => {
    const named = metricsIn(EXAMPLES[name].text())
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((metric) => !Object.hasOwn(METRICS, metric))).toEqual([])
  })

  test('of a dashboard shows every metric of ours but those that never change by themselves', () => {
    const shown = new Set(metricsIn(EXAMPLES.grafana.text()))
    const left = Object.keys(METRICS).filter((metric) => !shown.has(metric))
    expect(left).toEqual([
      'cooler_rolled_up_device_days_total',
      'cooler_events_landed_total',
      'cooler_events_erased_total',
      'cooler_rejects_dropped_total',
      'cooler_devices',
      'cooler_last_rollup_timestamp_seconds',
      'cooler_part_up',
    ])
    expect(JSON.parse(EXAMPLES.grafana.text())).toMatchObject({ title: 'cooler-reports', panels: { length: 19 } })
  })

  test('of an alert says what to do', () => {
    for (const { action, summary } of ALERTS) expect([action.length > 20, summary.length > 10]).toEqual([true, true])
  })

  test('is listed where no name is given', async () => {
    const { code, stdout } = await cooler().run(['example'])
    expect(code).toBe(0)
    for (const name of Object.keys(EXAMPLES)) expect(stdout).toMatch(new RegExp(`^ {2}${name} +\\w`, 'm'))
  })

  test.runIf(spawnSync('promtool', ['--version']).error === undefined)('of Prometheus passes its own check', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'prometheus.yml'), EXAMPLES.prometheus.text())
    writeFileSync(join(folder, 'cooler-reports.rules.yml'), EXAMPLES.alerts.text())
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'config', 'prometheus.yml'], { cwd: folder })
    expect([status, `${stdout}${stderr}`]).toEqual([0, expect.stringMatching(/SUCCESS/)])
  })

  test('of systemd and of each alert names the command that looks at the settings of the unit', async () => {
    expect(EXAMPLES.systemd.text()).toContain(DOCTOR_OF_UNIT)
    expect(EXAMPLES.alerts.text().split(DOCTOR_OF_UNIT).length - 1).toBe(ALERTS.length)
    const { store, run } = cooler()
    const settings = join(temporaryFolder(), 'cooler-reports.env')
    writeFileSync(settings, `COOLER_STORE=${store}.of-unit\n`)
    const [program] = DOCTOR_OF_UNIT.split(' ').slice(-2)
    expect(program).toBe('/opt/cooler-reports/bin/cooler')
    expect(EXAMPLES.systemd.text()).toContain(`ExecStart=/usr/bin/node ${program} start`)
    const { stdout } = await run(['doctor', '--no-integrity'], {
      env: { COOLER_STORE: undefined },
      nodeOptions: [`--env-file=${settings}`],
    })
    expect(stdout).toMatch(/COOLER_STORE/)
    expect(stdout).toContain(`${store}.of-unit`)
  })

  describe('of a container', () => {
    const lines = EXAMPLES.container.text().split('\n')

    test('says at its top how it is built and run, by commands that there are', async () => {
      const first = lines.findIndex((line) => line.startsWith('FROM '))
      const said = lines.slice(0, first).join('\n').replaceAll('\\\n# ', '')
      expect(said).toMatch(/podman build .*-t cooler-reports \.\n/)
      expect(said).toMatch(/podman run -d .*-e PORT=(\d+) -p 127\.0\.0\.1:8080:\1 -v \S+:\/data .*COOLER_API_KEYS/)
      const commands = [...said.matchAll(/(?:cli\.js|cooler --) ([a-z].*?)(?: >.*)?$/gm)].map(([, words]) =>
        words.split(' '),
      )
      expect(commands.map(([name]) => name)).toEqual(['example', 'key', 'doctor'])
      for (const words of commands.slice(0, 2)) expect(await cooler().run(words)).toMatchObject({ code: 0 })
    })

    test('takes the port from PORT everywhere, and runs what is copied into it', () => {
      const instructions = lines.filter((line) => !line.startsWith('#')).join('\n')
      expect(instructions.match(/8080/g)).toHaveLength(1)
      expect(instructions).toMatch(/^ENV .*\bPORT=8080\b/m)
      expect(instructions).toMatch(/^EXPOSE \$PORT$/m)
      const copied = [...instructions.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, names]) => names.split(' '))
      expect(copied.filter((name) => !existsSync(new URL(`../../${name}`, import.meta.url)))).toEqual([])
    })

    test('has a health check that passes on the port of the service, and fails on another', async () => {
      const [, line] = /^HEALTHCHECK CMD (.*)$/m.exec(EXAMPLES.container.text()) as unknown as string[]
      const { url } = await temporaryService({ api: true, work: false })
      const check = (port: string): Promise<number | null> =>
        new Promise((resolve) => {
          execFile('sh', ['-c', line], { env: { ...process.env, PORT: port } }).on('exit', resolve)
        })
      expect(await check(new URL(`${url}`).port)).toBe(0)
      expect(await check('1')).toBe(1)
    })
  })

  test('that there is not is refused with those that there are', async () => {
    const { code, stderr } = await cooler().run(['example', 'helm'])
    expect([code, stderr]).toEqual([2, expect.stringMatching(/systemd, container, prometheus, alerts, grafana/)])
  })
})

describe('completion', () => {
  /** What bash offers for the last of these words. */
  function offered(script: string, words: readonly string[]): string[] {
    const line = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _cooler`
    const { stdout, stderr } = spawnSync('bash', ['-c', `${script}\n${line}; printf '%s\\n' "\${COMPREPLY[@]}"`])
    expect(stderr.toString()).toBe('')
    return stdout
      .toString()
      .split('\n')
      .filter((word) => word !== '')
  }

  test('of bash knows each command and its options', async () => {
    const { stdout: script } = await cooler().run(['completion', 'bash'])
    expect(offered(script, ['cooler', 're'])).toEqual(['report', 'rejects', 'restore'])
    expect(offered(script, ['cooler', 'rejects', '--re'])).toEqual(['--reason', '--replay'])
    expect(offered(script, ['cooler', 'rejects', 'file'])).toEqual([])
    const { stdout: help } = await cooler().run(['--help'])
    const commands = [...help.matchAll(/^ {2}([a-z-]+) (?:\[|<|\w)/gm)].map(([, name]) => name)
    expect(offered(script, ['cooler', ''])).toEqual(expect.arrayContaining(commands.filter((name) => name !== 'help')))
  })

  test.each(['zsh', 'fish'])('of %s names each command', async (shell) => {
    const { stdout: script } = await cooler().run(['completion', shell])
    for (const command of ['start', 'ingest', 'rejects', 'completion']) expect(script).toContain(command)
  })

  test('of another shell is refused', async () => {
    expect(await cooler().run(['completion', 'cmd'])).toMatchObject({ code: 2, stdout: '' })
  })
})

test('the version is that of the package', async () => {
  const { version } = JSON.parse(readText('package.json'))
  expect(await cooler().run(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})
