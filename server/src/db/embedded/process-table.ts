/** What the operating system says of other processes. A process id alone proves nothing: ids are used again. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/** Whether a process with this id still runs; a zombie does not, one that belongs to another user does. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return statusOf(pid)?.[0] !== 'Z'
}

/**
 * Names one life of a process: the boot, and its start in clock ticks since then (proc(5): field 22 of stat, counted
 * behind the parenthesised command, which may itself hold spaces). Undefined where the system has no /proc.
 */
export function birthOf(pid: number): string | undefined {
  const startTicks = statusOf(pid)?.[19]
  if (startTicks === undefined) return undefined
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${startTicks}`
}

/** The fields of /proc/<pid>/stat from the third on: the state comes first. */
function statusOf(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

/** The arguments a process was started with; empty for a zombie, a missing process, or one that hides them. */
export async function commandLineOf(pid: number): Promise<readonly string[]> {
  try {
    if (process.platform === 'linux') {
      const line = await readFile(`/proc/${pid}/cmdline`, 'utf8')
      return line.split('\0').filter((part) => part !== '')
    }
    const { stdout } = await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)])
    return stdout.trim() === '' ? [] : [stdout.trim()]
  } catch {
    return []
  }
}
