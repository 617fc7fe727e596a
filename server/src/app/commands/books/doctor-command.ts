import { diagnose, type Finding } from '../../../oversight/health/diagnosis.ts'
import { readState } from '../../../oversight/health/read-state.ts'
import { openDb } from '../../../platform/db/pool.ts'
import { lossIn } from '../../../pricing/own-rows/own-rows.ts'
import { openLog } from '../../log.ts'
import { withDatabase } from '../../open-database.ts'
import { readRowsAsTheyAre } from '../../own-rows/read-own-rows.ts'
import { readConfig } from '../../settings/config.ts'
import type { Command, Terminal } from '../command.ts'
import { readWords } from '../read-words.ts'

export const doctorCommand: Command = {
  usage: '[--json]',
  help: [
    'Checks whether the database can be reached, whether its history is complete and since when, whether payouts are halted',
    'and how to lift the halts, which processes are running, how many blocks are not read yet, and which entries of own',
    'networks and tokens are refused. The next step is shown below each problem. Works while Coffer is running and while it is stopped; it writes nothing.',
    '',
    '  coffer doctor           for people',
    '  coffer doctor --json    { "ok": false, "findings": [{ "subject", "isError", "text", "next": [] }] }',
  ],
  run: async (words, terminal) => {
    const { values } = readWords(words, { options: { json: { type: 'boolean' } } })
    const config = readConfig(terminal.environment)
    const log = openLog(config.logLevel)
    const findings = await withDatabase(config, log, async ({ app }) => {
      const db = openDb({ url: app, connections: 1, log })
      try {
        const rows = await readRowsAsTheyAre(config, db)
        return diagnose(await readState(db), {
          count: rows.hashes.length,
          refused: rows.refused,
          loss: lossIn(rows, config.operatorEntryMin),
        })
      } finally {
        await db.close()
      }
    }).catch(unreached)
    const ok = findings.every(({ isError }) => !isError)
    if (values.json === true) terminal.print(JSON.stringify({ ok, findings }))
    else show(findings, terminal)
    return ok ? 0 : 1
  },
}

/** Returns a finding which says that the database could not be read, with the error that prevented it. */
function unreached(error: unknown): readonly Finding[] {
  const text = `cannot be read: ${error instanceof Error ? error.message : String(error)}`
  const next = ['Start the database, correct DATABASE_URL (DATA_DIR in a sandbox), or run "coffer migrate".']
  return [{ subject: 'database', isError: true, text, next }]
}

function show(findings: readonly Finding[], { print }: Terminal): void {
  for (const { subject, isError, text, next } of findings) {
    print(`${isError ? 'WRONG' : 'ok   '} ${subject.padEnd(9)} ${text}`)
    for (const step of next) print(`      -> ${step}`)
  }
}
