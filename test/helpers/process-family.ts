import { readFileSync } from 'node:fs'

/** Signals a process if it still exists. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** A letter, such as R for running, T for stopped or Z for ended but not yet waited for; X if the process is gone. */
function stateOf(pid: number): string {
  try {
    return /^State:\t(.)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 'X'
  } catch {
    return 'X'
  }
}

/** Stops a process and lists its children, of which it can then start no more. */
function stoppedWithChildren(pid: number): number[] {
  signal(pid, 'SIGSTOP')
  let state: string
  do state = stateOf(pid)
  while (!'TZX'.includes(state)) // A matter of microseconds.
  if (state !== 'T') return []
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
}

/** Sends SIGKILL to a process and its children, as when a machine loses power. */
export function killFamily(pid: number): void {
  for (const each of [...stoppedWithChildren(pid), pid]) signal(each, 'SIGKILL')
}

/** Sends SIGSTOP to a process and its children. */
export function freezeFamily(pid: number): void {
  for (const child of stoppedWithChildren(pid)) signal(child, 'SIGSTOP')
}

/** Lets a frozen process and its children continue. */
export function wakeFamily(pid: number): void {
  for (const each of [...stoppedWithChildren(pid), pid]) signal(each, 'SIGCONT')
}
