import { execFileSync } from 'node:child_process'
import { arch, availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os'
import { figure } from './measurement.ts'

/** Describes the code version, the seed and the host. Without them, nobody can judge a measurement. */
export function describeRun(
  server: string,
  { name, seed, quick }: { name: string; seed: string; quick: boolean },
): readonly string[] {
  const memoryGb = Math.round(totalmem() / 2 ** 30)
  return [
    `bench    ${name}${quick ? ' --quick' : ''} --seed ${seed}`,
    `commit   ${commitOf(server)}`,
    `machine  ${cpus()[0]?.model ?? 'unknown CPU'}, ${availableParallelism()} cores, ${memoryGb} GB`,
    `load     ${figure(loadavg()[0] ?? 0)} before the start; above 0.2 other programs are using the machine`,
    `system   ${type()} ${release()} ${arch()}, Node ${process.version}`,
  ]
}

function commitOf(server: string): string {
  const git = (...words: readonly string[]) =>
    execFileSync('git', ['-C', server, ...words], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    const changed = git('status', '--porcelain').trim() !== ''
    return `${git('rev-parse', 'HEAD').trim()}${changed ? ', with uncommitted changes' : ''}`
  } catch {
    return 'none'
  }
}
