// Runs commands and measures them: wall and CPU seconds, and the memory of all their processes together.
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100
/** As often as the runner of the peers looks: reading the memory of a process holds it up. */
const LOOK_EVERY_MS = 250

/** CPU ticks of a process, and its parent; null where it has ended. */
function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }
  } catch {
    return null
  }
}

/** A process and all that descend from it. */
function treeOf(root) {
  const all = new Map()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const stat = statOf(name)
    if (stat) all.set(Number(name), stat)
  }
  const tree = new Set([root])
  for (let size = 0; size < tree.size; ) {
    size = tree.size
    for (const [pid, { parent }] of all) if (tree.has(parent)) tree.add(pid)
  }
  return [...tree].filter((pid) => all.has(pid)).map((pid) => ({ pid, ticks: all.get(pid).ticks }))
}

/** Memory that only these processes hold, in bytes (proportional set size). */
function memoryOf(pids) {
  let kib = 0
  for (const pid of pids) {
    try {
      kib += Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))?.[1] ?? 0)
    } catch {
      // It has ended meanwhile.
    }
  }
  return kib * 1024
}

/** Watches a process: CPU seconds so far, and peak memory, of it and all that descend from it. */
export function watch(pid) {
  let peakBytes = 0
  const ticks = new Map()
  const look = () => {
    const tree = treeOf(pid)
    for (const one of tree) ticks.set(one.pid, one.ticks)
    peakBytes = Math.max(peakBytes, memoryOf(tree.map((one) => one.pid)))
  }
  const timer = setInterval(look, LOOK_EVERY_MS)
  look()
  return {
    cpuSeconds: () => [...ticks.values()].reduce((sum, one) => sum + one, 0) / TICKS_PER_SECOND,
    peakBytes: () => peakBytes,
    look,
    stop: () => clearInterval(timer),
  }
}

/** Runs a command to its end; what it printed, its wall and CPU seconds and its peak memory in bytes. */
export async function measure(command, args, { env = {}, cwd } = {}) {
  const from = performance.now()
  const child = spawn(command, args, { env: { ...process.env, ...env }, cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const watched = watch(child.pid)
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    stderr += chunk
  })
  const code = await new Promise((resolve) => child.on('close', resolve))
  const seconds = (performance.now() - from) / 1000
  watched.stop()
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${stderr.slice(-2000)}`)
  return { stdout, seconds, cpuSeconds: watched.cpuSeconds(), peakBytes: watched.peakBytes() }
}

export function median(values) {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
