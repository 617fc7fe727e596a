/** What the operating system says of other processes. A process id alone proves nothing: ids are used again. */
import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/**
 * Whether a process with this id still runs; one that belongs to another user does. A zombie does not, once its last
 * thread is gone: until then it may still hold a port.
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
 * Names one life of a process: the boot and its start in clock ticks since then, or the time `ps` gives where the
 * system has no /proc. Undefined when there is no such process.
 */
export function birthOf(pid: number): string | undefined {
  const startTicks = statOf(pid)?.[startTicksField]
  if (startTicks === undefined) return askPs(pid)
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${startTicks}`
}

/** Fields of /proc/<pid>/stat as proc(5) counts them, less the first two: the second may hold spaces and ends with ")". */
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
