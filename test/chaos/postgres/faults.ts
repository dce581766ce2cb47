import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../helpers/random.ts'
import { alone, type Fault } from '../faults.ts'
import type { PostgresArena } from './arena.ts'

/** Longest time for which a worker stands still, or its network is down; shorter in short runs. */
const longest = (minutes: number): number => Math.min(60_000, minutes * 15_000)

/** All faults of several machines on one PostgreSQL. */
export function postgresFaults(arena: PostgresArena, random: Random, minutes: number): Fault[] {
  const { machines, cluster, redis, program } = arena
  const pick = () => random.pick(machines)
  const faults: Omit<Fault, 'times'>[] = [
    { name: 'kill -9 of a process', weight: 8, inflict: async () => pick().process.kill('SIGKILL') },
    { name: 'SIGTERM of a process', weight: 3, inflict: async () => pick().process.kill('SIGTERM') },
    {
      name: 'a process stands still',
      weight: 1.5,
      async inflict() {
        const { process } = pick()
        process.kill('SIGSTOP')
        await sleep(random.between(1000, longest(minutes)))
        process.kill('SIGCONT')
      },
    },
    {
      name: 'the network of a process is down',
      weight: 1.5,
      async inflict() {
        const machine = pick()
        machine.down()
        await sleep(random.between(1000, longest(minutes)))
        machine.up()
      },
    },
    { name: 'connections to the database cut', weight: 2, inflict: async () => pick().links.forEach(cut) },
    { name: 'the primary loses power, the standby is promoted', weight: 0.8, inflict: () => cluster.failOver() },
    {
      name: 'kill -9 of Redis',
      weight: 1,
      async inflict() {
        await redis.kill('SIGKILL')
        await sleep(random.between(0, 3000))
        await redis.restart()
      },
    },
    {
      name: 'a rollup, compaction or pruning of another machine, most of them killed half-way',
      weight: 3,
      async inflict() {
        const command = random.pick(['rollup', 'compact', 'prune-raw'])
        const { child, outcome } = program.spawn([command], random.pick(arena.visitors))
        const timer = setTimeout(() => child.kill('SIGKILL'), random.between(300, 4000))
        await outcome
        clearTimeout(timer)
      },
    },
  ]
  return faults.map(alone)
}

const cut = (link: { target(): number; lead(port: number): void }): void => link.lead(link.target())
