import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { METRICS } from '../../src/base/metrics.ts'
import { EXAMPLES } from '../../src/cli/example.ts'
import { ALERTS } from '../../src/cli/examples/alerts.ts'
import { DOCTOR_OF_UNIT } from '../../src/cli/examples/system.ts'
import { readText } from '../helpers/source-files.ts'
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
    expect(JSON.parse(EXAMPLES.grafana.text())).toMatchObject({ title: 'cooler-reports', panels: { length: 17 } })
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
