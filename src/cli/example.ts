import type { Command } from 'commander'
import { UsageError } from './context.ts'
import { alertRules } from './examples/alerts.ts'
import { COMPOSE } from './examples/compose.ts'
import { grafanaDashboard } from './examples/grafana.ts'
import { KUBERNETES } from './examples/kubernetes.ts'
import { CONTAINERFILE, PROMETHEUS_JOB, SYSTEMD_UNIT } from './examples/system.ts'

/** Files that an operator can start from, by name. */
export const EXAMPLES = {
  systemd: { about: 'a unit that runs the service', text: () => SYSTEMD_UNIT },
  container: { about: 'a Containerfile of this checkout', text: () => CONTAINERFILE },
  prometheus: { about: 'what Prometheus needs to know', text: () => PROMETHEUS_JOB },
  alerts: { about: 'rules of Prometheus, each with what to do', text: alertRules },
  grafana: { about: 'a dashboard to be imported into Grafana', text: grafanaDashboard },
  compose: { about: 'two API servers, two workers, PostgreSQL with a standby, Redis', text: () => COMPOSE },
  kubernetes: { about: 'API servers and workers, without PostgreSQL itself', text: () => KUBERNETES },
} as const satisfies Record<string, { about: string; text: () => string }>

/** Adds the command `example`. */
export function exampleCommand(program: Command): void {
  const names = Object.entries(EXAMPLES).map(([name, { about }]) => `  ${name.padEnd(12)}${about}`)
  program
    .command('example')
    .description('print a file that an operator can start from')
    .argument('[name]', `${Object.keys(EXAMPLES).join(', ')}; without a name they are listed`)
    .addHelpText(
      'after',
      `\nNames:\n${names.join('\n')}\n\nExample:\n  cooler example alerts > cooler-reports.rules.yml\n`,
    )
    .action((name?: string) => {
      if (name === undefined) {
        console.log(names.join('\n'))
        return
      }
      if (!Object.hasOwn(EXAMPLES, name))
        throw new UsageError(`there is no example ${JSON.stringify(name)}: ${Object.keys(EXAMPLES).join(', ')}`)
      console.log(EXAMPLES[name as keyof typeof EXAMPLES].text().trimEnd())
    })
}
