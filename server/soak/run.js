#!/usr/bin/env node
/**
 * Runs long tests that `npm test` leaves out:
 * `npm run soak -- crash --seed 7 --rounds 50`,
 * `npm run soak -- payouts --seed 7 --minutes 10`,
 * `npm run soak -- webhooks --seed 7 --kills 200`.
 * Each run prints its seed, and the same seed repeats the run. Without `--seed`, every run has another seed.
 * `payouts` runs two tests at the same time. One kills whole processes. The other runs one engine with hostile
 * merchants, and restores parts of it from snapshots.
 */
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const tests = {
  crash: ['server/test/process/crash.test.ts'],
  payouts: ['server/test/process/killed-payouts.test.ts', 'server/test/outgoing/soak.test.ts'],
  webhooks: ['server/test/process/killed-dispatchers.test.ts'],
}
const usage = `Usage: npm run soak -- <${Object.keys(tests).join('|')}> [--seed N] [--rounds M] [--minutes M] [--withdrawals N] [--kills N]`

process.exitCode = main(process.argv.slice(2))

function main(words) {
  const { files, settings } = readWords(words)
  if (files === undefined) {
    console.error(usage)
    return 2
  }
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', '--project', 'proofs', '--project', 'nightly-killed', ...files],
    {
      cwd: root,
      env: { ...process.env, ...settings },
      stdio: 'inherit',
    },
  )
  return status ?? 1
}

function readWords(words) {
  try {
    const options = {
      seed: { type: 'string' },
      rounds: { type: 'string', default: '20' },
      minutes: { type: 'string', default: '10' },
      withdrawals: { type: 'string', default: '1000' },
      kills: { type: 'string', default: '200' },
    }
    const { values, positionals } = parseArgs({ args: words, allowPositionals: true, options })
    const { seed, rounds, minutes, withdrawals, kills } = values
    const numbers = [seed ?? '0', rounds, minutes, withdrawals, kills]
    if (positionals.length !== 1 || !numbers.every((number) => /^\d{1,9}$/.test(number))) return {}
    const settings = {
      SOAK_ROUNDS: rounds,
      SOAK_MINUTES: minutes,
      SOAK_WITHDRAWALS: withdrawals,
      SOAK_KILLS: kills,
      ...(seed && { SOAK_SEED: seed }),
    }
    return { files: tests[positionals[0]], settings }
  } catch {
    return {}
  }
}
