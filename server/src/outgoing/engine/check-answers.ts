/** What the signer answered, held against what it was asked: nothing is believed that was not found here. */
import { setImmediate as yieldToEvents } from 'node:timers/promises'
import { SignedBytesError } from '../../chains/port.ts'
import { required } from '../../core/assert.ts'
import type { LogEntry, RefusalCode, SignAnswer, SignRequest } from '../../signing/signer-port.ts'
import type { MachineMemory } from './machine-memory.ts'
import type { StoredPayout } from './store.ts'
import type { PayoutWay } from './way.ts'

export type Signed = readonly [StoredPayout, Extract<SignAnswer, { type: 'signed' }>]
export type Refused = readonly [StoredPayout, Extract<SignAnswer, { type: 'refused' }>]

export interface CheckedAnswers {
  readonly signed: readonly Signed[]
  readonly refused: readonly Refused[]
  /** Why answers cannot be what was asked for; nothing of them is kept. */
  readonly faults: readonly string[]
}

/**
 * Takes apart what came back: bytes are decoded, whoever signed them is found, and their hash is computed.
 * @param payouts in the order of their requests and of the answers
 */
export async function checkAnswers(
  way: Pick<PayoutWay, 'readSigned'>,
  memory: MachineMemory,
  payouts: readonly StoredPayout[],
  requests: readonly SignRequest[],
  answers: readonly unknown[],
): Promise<CheckedAnswers> {
  const signed: Signed[] = []
  const refused: Refused[] = []
  const faults: string[] = []
  for (const [index, payout] of payouts.entries()) {
    const request = required(requests[index], 'a request')
    const answer = answerOf(answers[index])
    if (answer === undefined) faults.push(`the answer for payout ${payout.id} is none`)
    else if (answer.type === 'refused') refused.push([payout, answer])
    else {
      const fault = faultOf(() => way.readSigned(memory, request, answer.raw), answer.txHash)
      if (fault === undefined) signed.push([payout, answer])
      else faults.push(`of what was signed for payout ${payout.id}, ${fault}`)
    }
    // A signature takes half a millisecond to check, one that was not seen before three times that.
    await yieldToEvents()
  }
  return { signed, refused, faults }
}

/**
 * Why bytes are not what they were said to be; undefined where they are.
 * @param readHash the hash that they have, or a SignedBytesError
 */
function faultOf(readHash: () => string, toldHash: string): string | undefined {
  try {
    const txHash = readHash()
    return txHash === toldHash ? undefined : `the hash is said to be ${toldHash}, and is ${txHash}`
  } catch (error) {
    if (error instanceof SignedBytesError) return `the bytes are wrong: ${error.message}`
    throw error
  }
}

/**
 * Why an entry of the signer's log cannot be one of ours; undefined where it can. Whatever goes wrong in reading it is a
 * fault of the entry: the log is the signer's, and nothing of it is believed.
 */
export function entryFaultOf(way: EntryChecks, memory: MachineMemory, entry: LogEntry): string | undefined {
  try {
    way.requireOwnEntry(memory, entry)
    return faultOf(() => way.readSigned(memory, entry, entry.raw), entry.txHash)
  } catch (error) {
    return (error as Error).message
  }
}

type EntryChecks = Pick<PayoutWay, 'readSigned' | 'requireOwnEntry'>

const refusalCodes: Readonly<Record<RefusalCode, true>> = {
  'not-approved': true,
  'not-as-intended': true,
  'already-signed': true,
  'over-limit': true,
  'not-allowed': true,
  halted: true,
}
const detailCharsMax = 500

/** Undefined where it has another shape than its type says. */
function answerOf(value: unknown): SignAnswer | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { type, txHash, raw, sequence, code, detail } = value as Readonly<Record<string, unknown>>
  if (type === 'signed' && typeof txHash === 'string' && typeof raw === 'string') {
    const isPlace = Number.isSafeInteger(sequence) && (sequence as number) > 0
    return isPlace ? { type, txHash, raw, sequence: sequence as number } : undefined
  }
  if (type !== 'refused' || typeof code !== 'string' || typeof detail !== 'string') return undefined
  if (!Object.hasOwn(refusalCodes, code)) return undefined
  return { type, code: code as RefusalCode, detail: detail.slice(0, detailCharsMax) }
}
