import { readdirSync, readFileSync } from 'node:fs'

/** CPU time used so far, in milliseconds. Unlike a rate, it does not depend on other load of the host. */
export interface CpuUse {
  readonly apiMs: number
  readonly databaseMs: number
}

/** Length of one clock tick. Linux counts CPU time in hundredths of a second (USER_HZ). */
const tickMs = 10

/**
 * Returns the CPU time of a process and of the PostgreSQL backends of a database. Both are 0 on systems
 * without /proc.
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

/** Returns the CPU time of a process in milliseconds; 0 on systems without /proc. */
export function usedMs(pid: string | number): number {
  const stat = readOr(() => readFileSync(`/proc/${pid}/stat`, 'utf8'), '')
  // The second field is the name of the process. It may contain any character and ends with the last
  // parenthesis. The CPU times are the fields 14 and 15 of proc(5).
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
