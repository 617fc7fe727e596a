/**
 * Reads what the operating system reports about other processes. A process id alone does not identify a
 * process, because ids are reused.
 */
import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/**
 * Decides whether a process with this id runs, even if it belongs to another user. A zombie counts as running
 * while it has more than one thread, because it may still listen on a port.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const stat = statOf(pid)
  return stat?.[stateField] !== 'Z' || Number(stat[threadsField]) > 1
}

/**
 * Returns a text that identifies one run of a process even if its id is reused. The text contains the boot id
 * and the start in clock ticks since boot. On systems without /proc, the text is the start time that `ps`
 * reports. Returns undefined if there is no such process.
 */
export function birthOf(pid: number): string | undefined {
  const startTicks = statOf(pid)?.[startTicksField]
  if (startTicks === undefined) return askPs(pid)
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${startTicks}`
}

/**
 * Indexes of fields in /proc/<pid>/stat, numbered from 1 as in proc(5). The first two fields are cut off,
 * because the second field may contain spaces and ends with ")".
 */
const stateField = 3 - 3
const threadsField = 20 - 3
const startTicksField = 22 - 3

function statOf(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

function askPs(pid: number): string | undefined {
  if (process.platform === 'linux') return undefined
  try {
    return execFileSync('ps', ['-p', String(pid), '-o', 'lstart='], { encoding: 'utf8' }).trim() || undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the command line of a process. The list is empty for a zombie, a missing process, or a process that
 * hides its command line.
 */
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
