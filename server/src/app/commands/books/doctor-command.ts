import { diagnose, type Finding } from '../../../oversight/health/diagnosis.ts'
import { readState } from '../../../oversight/health/read-state.ts'
import { openDb } from '../../../platform/db/pool.ts'
import { openLog } from '../../log.ts'
import { withDatabase } from '../../open-database.ts'
import { readConfig } from '../../settings/config.ts'
import type { Command, Terminal } from '../command.ts'
import { readWords } from '../read-words.ts'

export const doctorCommand: Command = {
  usage: '[--json]',
  help: [
    'Looks whether the database is reached, whether its history is whole and since when, whether payouts are halted and how',
    'that is lifted, which processes work, and how many blocks are not read yet. Below each fault stands the next step.',
    'Works beside a running Coffer and on one that is stopped; it writes nothing.',
    '',
    '  coffer doctor           for people',
    '  coffer doctor --json    { "ok": false, "findings": [{ "subject", "isFault", "text", "next": [] }] }',
  ],
  run: async (words, terminal) => {
    const { values } = readWords(words, { options: { json: { type: 'boolean' } } })
    const config = readConfig(terminal.environment)
    const log = openLog(config.logLevel)
    const findings = await withDatabase(config, log, async ({ app }) => {
      const db = openDb({ url: app, connections: 1, log })
      try {
        return diagnose(await readState(db))
      } finally {
        await db.close()
      }
    }).catch(unreached)
    const ok = findings.every(({ isFault }) => !isFault)
    if (values.json === true) terminal.print(JSON.stringify({ ok, findings }))
    else show(findings, terminal)
    return ok ? 0 : 1
  },
}

/** Whatever keeps the state from being read is itself what is wrong. */
function unreached(error: unknown): readonly Finding[] {
  const text = `cannot be read: ${error instanceof Error ? error.message : String(error)}`
  const next = [
    'Start the database, set DATABASE_URL (DATA_DIR in a sandbox) right, or run "coffer migrate".',
  ]
  return [{ subject: 'database', isFault: true, text, next }]
}

function show(findings: readonly Finding[], { print }: Terminal): void {
  for (const { subject, isFault, text, next } of findings) {
    print(`${isFault ? 'WRONG' : 'ok   '} ${subject.padEnd(9)} ${text}`)
    for (const step of next) print(`      -> ${step}`)
  }
}
