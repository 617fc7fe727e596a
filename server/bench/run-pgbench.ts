/**
 * Runs the reference measurement with pgbench, the load generator of PostgreSQL, which executes SQL directly.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'

export interface Yardstick {
  readonly perSecond: number
  readonly by: string
}

/** Number of connections: the size of Coffer's connection pool. */
const clients = 10

/**
 * Runs a script of prepared SQL statements for `seconds` seconds. Returns the runs of the whole script per
 * second.
 */
export async function runPgbench(url: string, script: string, seconds: number): Promise<Yardstick> {
  const folder = await mkdtemp(join(tmpdir(), 'coffer-bench-'))
  const file = join(folder, 'script.sql')
  try {
    await writeFile(file, script)
    const load = ['-n', '-M', 'prepared', '-c', String(clients), '-j', '1', '-T', String(Math.ceil(seconds))]
    const { stdout } = await promisify(execFile)('pgbench', [...load, '-f', file, url])
    const perSecond = Number(/tps = ([\d.]+)/.exec(stdout)?.[1])
    return { perSecond, by: 'pgbench' }
  } catch (error) {
    if (!isMissing(error)) throw error
    console.log(
      '· pgbench is missing (Debian: apt-get install postgresql-client postgresql); using a loop with pg instead',
    )
    return {
      perSecond: await loopOver(url, script, seconds),
      by: 'a loop with pg, because pgbench is missing',
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

async function loopOver(url: string, script: string, seconds: number): Promise<number> {
  const statements = script.split(';').map((text) => text.trim())
  const untilMs = performance.now() + seconds * 1000
  let runs = 0
  const loop = async () => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    while (performance.now() < untilMs) {
      for (const [index, text] of statements.entries())
        if (text !== '') await client.query({ name: `s${index}`, text })
      runs += 1
    }
    await client.end()
  }
  await Promise.all(Array.from({ length: clients }, loop))
  return runs / seconds
}
