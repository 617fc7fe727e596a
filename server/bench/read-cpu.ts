import { readdirSync, readFileSync } from 'node:fs'

/**
 * Processor time used so far, in milliseconds. Unlike a rate, it does not depend on other load of the host.
 */
export interface CpuUse {
  readonly apiMs: number
  readonly databaseMs: number
}

/** Linux counts in hundredths of a second (USER_HZ). */
const tickMs = 10

/**
 * Returns the processor time of a process and of the backends that serve a database; zeros where there is no
 * /proc.
 */
export function readCpu(apiPid: number, database: string): CpuUse {
  const backends = processes().filter((pid) => titleOf(pid).startsWith(`postgres: coffer_app ${database} `))
  const databaseMs = backends.reduce((sum, pid) => sum + usedMs(pid), 0)
  return { apiMs: usedMs(String(apiPid)), databaseMs }
}

function processes(): readonly string[] {
  return readOr(() => readdirSync('/proc').filter((name) => /^\d+$/.test(name)), [])
}

function titleOf(pid: string): string {
  return readOr(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'), '')
}

function usedMs(pid: string): number {
  const stat = readOr(() => readFileSync(`/proc/${pid}/stat`, 'utf8'), '')
  // The fields follow the name, which may hold anything and ends with the last bracket: proc(5), fields 14
  // and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * tickMs
}

function readOr<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}
