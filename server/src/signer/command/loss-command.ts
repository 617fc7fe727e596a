import { openKeys } from '../keys/open-keys.ts'
import { SignerRecords } from '../log/records.ts'
import { lockLog } from './log-lock.ts'
import { readReason, readWords, requiredWord, type SignerTerminal } from './words.ts'

const options = {
  keystore: { type: 'string' },
  'passphrase-file': { type: 'string' },
  log: { type: 'string' },
  checkpoint: { type: 'string' },
  reason: { type: 'string' },
} as const

/**
 * Runs `coffer signer accept-loss` and resolves with the exit code.
 * @throws SignLogError if no entry of the logs was lost.
 */
export async function acceptLoss(words: readonly string[], terminal: SignerTerminal): Promise<number> {
  const values = readWords(words, options)
  const reason = readReason(values.reason)
  const logPath = requiredWord(values.log, 'log')
  const checkpointPath = requiredWord(values.checkpoint, 'checkpoint')
  const keystore = requiredWord(values.keystore, 'keystore')
  const keys = await openKeys(keystore, requiredWord(values['passphrase-file'], 'passphrase-file'), 1)
  const lock = await lockLog(logPath)
  try {
    const parts = { logPath, checkpointPath, key: keys.logKey }
    const { logGeneration, log, control } = await SignerRecords.acceptLoss(parts, reason, new Date())
    terminal.print(`The log starts generation ${logGeneration}.`)
    for (const [name, lost] of [
      ['signatures', log],
      ['statements', control],
    ] as const) {
      if (lost !== null)
        terminal.print(`Lost ${name}: entries ${lost.from} to ${lost.to ?? 'an unknown entry'}`)
    }
    terminal.note(
      'Start the signer; the role payouts compares everything with the chains before it plans anything.',
    )
  } finally {
    lock?.close()
  }
  return 0
}
