import { randomUUID } from 'node:crypto'
import { liftLine, liftStatement } from '../../signing/statement.ts'
import { openKeys } from '../keys/open-keys.ts'
import { signStatement } from '../keys/statement-key.ts'
import { readReason, readWords, requiredWord, type SignerTerminal, WordsError } from './words.ts'

const options = {
  keystore: { type: 'string' },
  'passphrase-file': { type: 'string' },
  halt: { type: 'string' },
  reason: { type: 'string' },
  'new-database-id': { type: 'boolean', default: false },
} as const

/**
 * Runs `coffer signer lift`, which prints a statement that lifts a halt. The command writes to no file, so it
 * can run while the signer runs.
 */
export async function printLift(words: readonly string[], terminal: SignerTerminal): Promise<number> {
  const values = readWords(words, options)
  const haltId = requiredWord(values.halt, 'halt')
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(haltId))
    throw new WordsError('--halt must be the id of a halt, as "coffer payouts list" prints it')
  const reason = readReason(values.reason)
  const keystore = requiredWord(values.keystore, 'keystore')
  const keys = await openKeys(keystore, requiredWord(values['passphrase-file'], 'passphrase-file'), 1)
  const databaseId = values['new-database-id'] ? randomUUID() : null
  const statement = liftStatement({ haltId, reason, at: new Date().toISOString(), databaseId })
  terminal.print(liftLine({ statement, signature: signStatement(keys.statementKey, statement) }))
  return 0
}
