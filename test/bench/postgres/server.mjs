// A PostgreSQL server of our own for a measurement, on the disk of the SQLite stores: durable, with more memory and log
// than by default. Its CPU time is that of the postmaster, of its children, and of those that have ended.
import { execFileSync, spawn } from 'node:child_process'
import { appendFileSync, chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'

const TICKS_PER_SECOND = 100
const DEBIAN_FOLDER = '/usr/lib/postgresql'
const SETTINGS = {
  listen_addresses: '',
  shared_buffers: '512MB',
  max_wal_size: '4GB',
  // Checkpoints come when the bench asks for them: each makes the next change of a page longer in the log.
  checkpoint_timeout: '1h',
  max_connections: 100,
}

function program(name) {
  const versions = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER) : []
  const newest = versions.map(Number).sort((one, other) => other - one)[0]
  return newest === undefined ? name : join(DEBIAN_FOLDER, String(newest), 'bin', name)
}

/** PostgreSQL refuses to run as root. */
function unprivileged() {
  if (process.getuid() !== 0) return {}
  const idOf = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

/** Starts a server with an empty data folder in `parent`; it ends with this process. */
export async function startServer(parent) {
  const folder = join(parent, 'postgres')
  const user = unprivileged()
  mkdirSync(folder)
  chmodSync(parent, 0o711)
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  const options = { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'ignore'] }
  execFileSync(program('initdb'), ['--username=cooler', '--encoding=UTF8', '--locale=C', '-D', data], options)
  const settings = { ...SETTINGS, unix_socket_directories: folder }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`)
  appendFileSync(join(data, 'postgresql.conf'), lines.join(''))
  const child = spawn(program('postgres'), ['-D', data], { ...options, detached: true })
  process.on('exit', () => child.kill('SIGQUIT'))
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const url = (database) => `postgres://cooler@localhost/${database}?host=${encodeURIComponent(folder)}`
  const client = await connected(url('postgres'), child)
  let databases = 0
  const value = async (sql) => Object.values((await client.query(sql)).rows[0])[0]
  return {
    url,
    version: await value('SHOW server_version'),
    cpuSeconds: () => cpuSecondsOf(child.pid),
    /** Bytes written to the write-ahead log so far. */
    walBytes: async () => Number(await value("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')")),
    checkpoint: () => client.query('CHECKPOINT'),
    async newDatabase() {
      const name = `bench_${++databases}`
      await client.query(`CREATE DATABASE ${name}`)
      return name
    },
    dropDatabase: (name) => client.query(`DROP DATABASE ${name} WITH (FORCE)`),
    async stop() {
      await client.end()
      child.kill('SIGINT')
      await ended
    },
  }
}

async function connected(url, child) {
  for (let attempt = 0; ; attempt++) {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    try {
      await client.connect()
      return client
    } catch (error) {
      if (child.exitCode !== null || attempt > 400) throw error
      await setTimeout(25)
    }
  }
}

/** CPU seconds of a process, of its children, and of those of its children that have ended and been waited for. */
function cpuSecondsOf(pid) {
  let ticks = 0
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const text = readFileSync(`/proc/${name}/stat`, 'latin1')
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
      const [user, system, endedUser, endedSystem] = fields.slice(11, 15).map(Number)
      if (Number(name) === pid) ticks += user + system + endedUser + endedSystem
      else if (Number(fields[1]) === pid) ticks += user + system
    } catch {
      // It has ended meanwhile: its parent counts it.
    }
  }
  return ticks / TICKS_PER_SECOND
}

/** Runs a query on a database and returns the first value. */
export async function ask(url, sql) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return Object.values((await client.query(sql)).rows[0])[0]
  } finally {
    await client.end()
  }
}
