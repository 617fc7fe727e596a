/**
 * Checks whether the signer's answers match the requests. Bytes, sender and hash are decoded and computed
 * here, because the signer's statements about them are not trusted.
 */
import { setImmediate as yieldToEvents } from 'node:timers/promises'
import { SignedBytesError } from '../../chains/port.ts'
import { required } from '../../core/assert.ts'
import type { LogEntry, RefusalCode, SignAnswer, SignRequest } from '../../signing/signer-port.ts'
import type { EngineMemory } from './engine-memory.ts'
import type { FamilyStrategy } from './family-strategy.ts'
import type { StoredOutgoingTransaction } from './store.ts'

export type Signed = readonly [StoredOutgoingTransaction, Extract<SignAnswer, { type: 'signed' }>]
export type Refused = readonly [StoredOutgoingTransaction, Extract<SignAnswer, { type: 'refused' }>]

export interface CheckedAnswers {
  readonly signed: readonly Signed[]
  readonly refused: readonly Refused[]
  /** The reasons why answers do not match their requests. Such answers are not stored. */
  readonly errors: readonly string[]
}

/**
 * Decodes the signed bytes of each answer, recovers their sender and computes their hash.
 * @param outgoingTransactions are in the order of `requests` and `answers`
 */
export async function checkAnswers(
  strategy: Pick<FamilyStrategy, 'readSigned'>,
  memory: EngineMemory,
  outgoingTransactions: readonly StoredOutgoingTransaction[],
  requests: readonly SignRequest[],
  answers: readonly unknown[],
): Promise<CheckedAnswers> {
  const signed: Signed[] = []
  const refused: Refused[] = []
  const errors: string[] = []
  for (const [index, outgoingTransaction] of outgoingTransactions.entries()) {
    const request = required(requests[index], 'a request')
    const answer = answerOf(answers[index])
    if (answer === undefined)
      errors.push(`there is no valid answer for transaction ${outgoingTransaction.id}`)
    else if (answer.type === 'refused') refused.push([outgoingTransaction, answer])
    else {
      const error = errorOf(() => strategy.readSigned(memory, request, answer.raw), answer.txHash)
      if (error === undefined) signed.push([outgoingTransaction, answer])
      else errors.push(`the signed bytes of transaction ${outgoingTransaction.id} are not valid: ${error}`)
    }
    // Checking a signature takes 0.5 ms to 1.5 ms. This pause lets other work of the process run between two
    // checks.
    await yieldToEvents()
  }
  return { signed, refused, errors }
}

/**
 * Returns why signed bytes do not match their request, or do not have the hash that the signer states;
 * undefined if the bytes are right.
 * @param readHash returns the hash of the bytes, or throws a SignedBytesError
 */
function errorOf(readHash: () => string, nodeHash: string): string | undefined {
  try {
    const txHash = readHash()
    return txHash === nodeHash ? undefined : `the stated hash is ${nodeHash}, but the hash is ${txHash}`
  } catch (error) {
    if (error instanceof SignedBytesError) return `the bytes are wrong: ${error.message}`
    throw error
  }
}

/**
 * Returns why an entry of the signer's log cannot be the signer's answer to a request of this engine;
 * undefined if it can. Any error while the entry is read counts as such a reason, because the signer's log is
 * not trusted.
 */
export function entryErrorOf(
  strategy: EntryChecks,
  memory: EngineMemory,
  entry: LogEntry,
): string | undefined {
  try {
    strategy.requireOwnEntry(memory, entry)
    return errorOf(() => strategy.readSigned(memory, entry, entry.raw), entry.txHash)
  } catch (error) {
    return (error as Error).message
  }
}

type EntryChecks = Pick<FamilyStrategy, 'readSigned' | 'requireOwnEntry'>

const refusalCodes: Readonly<Record<RefusalCode, true>> = {
  'not-approved': true,
  'not-as-intended': true,
  'already-signed': true,
  'over-limit': true,
  'not-allowed': true,
  halted: true,
}
const detailCharsMax = 500

/** Returns `value` as an answer of the signer; undefined if `value` does not have the form of an answer. */
function answerOf(value: unknown): SignAnswer | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { type, txHash, raw, sequence, code, detail } = value as Readonly<Record<string, unknown>>
  if (type === 'signed' && typeof txHash === 'string' && typeof raw === 'string') {
    const isSequence = Number.isSafeInteger(sequence) && (sequence as number) > 0
    return isSequence ? { type, txHash, raw, sequence: sequence as number } : undefined
  }
  if (type !== 'refused' || typeof code !== 'string' || typeof detail !== 'string') return undefined
  if (!Object.hasOwn(refusalCodes, code)) return undefined
  return { type, code: code as RefusalCode, detail: detail.slice(0, detailCharsMax) }
}
