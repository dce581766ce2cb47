import type { Command, Option } from 'commander'
import { UsageError } from './context.ts'

/** A command as completions need it: its options, and the values of options that have a fixed set. */
interface Completed {
  name: string
  about: string
  options: { long: string; about: string; takesValue: boolean; choices: readonly string[] }[]
}

const SHELLS = { bash, zsh, fish } as const

/** Adds the command `completion`. */
export function completionCommand(program: Command): void {
  const shells = Object.keys(SHELLS).join(', ')
  program
    .command('completion')
    .description('print what completes command lines in a shell')
    .argument('<shell>', shells)
    .addHelpText(
      'after',
      '\nExamples:\n  cooler completion bash > /etc/bash_completion.d/cooler\n' +
        '  cooler completion zsh > /usr/local/share/zsh/site-functions/_cooler\n' +
        '  cooler completion fish > ~/.config/fish/completions/cooler.fish\n',
    )
    .action((shell: string) => {
      if (!Object.hasOwn(SHELLS, shell)) throw new UsageError(`${JSON.stringify(shell)} is not known here: ${shells}`)
      console.log(SHELLS[shell as keyof typeof SHELLS](program.commands.map(completed)))
    })
}

const completed = (command: Command): Completed => ({
  name: command.name(),
  about: firstClause(command.description()),
  options: command.createHelp().visibleOptions(command).flatMap(completedOption),
})

function completedOption({ long, description, required, optional, argChoices }: Option): Completed['options'] {
  if (!long) return []
  return [{ long, about: firstClause(description), takesValue: required || optional, choices: argChoices ?? [] }]
}

/** Returns the first clause of a text, without characters that a shell would interpret, as a short line for a list. */
const firstClause = (text: string): string =>
  text
    .split(/[;:(]/)[0]
    .replace(/['"`$\\[\]]/g, '')
    .trim()

function bash(commands: readonly Completed[]): string {
  const cases = commands.map(
    ({ name, options }) => `    ${name}) words='${options.map(({ long }) => long).join(' ')}' ;;`,
  )
  return `_cooler() {
  local words current=\${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W '${commands.map(({ name }) => name).join(' ')} --help --version' -- "$current")
    return
  fi
  case \${COMP_WORDS[1]} in
${cases.join('\n')}
  esac
  # What is no option is a file, or something that only the store knows.
  if [[ $current == -* ]]; then mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"); fi
}
complete -o default -F _cooler cooler`
}

function zsh(commands: readonly Completed[]): string {
  const cases = commands.map(({ name, options }) => {
    const parts = options.map(({ long, about, takesValue, choices }) => {
      const value = takesValue ? `:value:${choices.length > 0 ? `(${choices.join(' ')})` : '_files'}` : ''
      return `'${long}[${about}]${value}'`
    })
    return `    ${name}) _arguments ${parts.join(' ')} '*:file:_files' ;;`
  })
  return `#compdef cooler
_cooler() {
  local -a commands=(${commands.map(({ name, about }) => `'${name}:${about}'`).join(' ')})
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  local command=$words[2]
  shift words; (( CURRENT-- ))
  case $command in
${cases.join('\n')}
  esac
}
_cooler "$@"`
}

function fish(commands: readonly Completed[]): string {
  const lines = commands.flatMap(({ name, about, options }) => [
    `complete -c cooler -n __fish_use_subcommand -f -a ${name} -d '${about}'`,
    ...options.map(({ long, about: what, takesValue, choices }) => {
      const values = choices.length > 0 ? ` -a '${choices.join(' ')}'` : ''
      return `complete -c cooler -n '__fish_seen_subcommand_from ${name}' -l ${long.slice(2)}${takesValue ? ' -r' : ''}${values} -d '${what}'`
    }),
  ])
  return lines.join('\n')
}
