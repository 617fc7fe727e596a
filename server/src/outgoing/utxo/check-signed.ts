/** Checks what the signer signed on UTXO chains against the request and against our own keys. */

import { SignedBytesError } from '../../chains/port.ts'
import type { DraftOutput } from '../../chains/utxo/utxo-port.ts'
import { assert } from '../../core/assert.ts'
import type { Intent } from '../../signing/intent.ts'
import type { LogEntry, SignRequest } from '../../signing/signer-port.ts'
import type { EngineMemory } from '../engine/engine-memory.ts'
import { type Paid, paidBy } from './shape.ts'
import { hotAddress, keyPathOf, type UtxoParts, xpubsOf } from './utxo-parts.ts'

/**
 * Verifies that the signed transaction is the requested one, signed with the requested keys.
 * @returns the hash of the transaction
 * @throws SignedBytesError if the signed transaction is anything else
 */
export function readSignedPsbt({ drafts }: UtxoParts, request: SignRequest, raw: string): string {
  assert('psbt' in request, 'a request for a UTXO chain contains a PSBT')
  return drafts.readSigned(request.psbt, raw)
}

/**
 * Verifies the transaction in an entry of the signer's log. The transaction must spend UTXOs of our keys, pay
 * what the entry's intent says, and return the change to the hot wallet.
 * @throws SignedBytesError if the transaction does anything else
 */
export function requireOwnDraft(parts: UtxoParts, memory: EngineMemory, entry: LogEntry): void {
  assert('psbt' in entry, 'a log entry of a UTXO chain contains a PSBT')
  const { drafts } = parts
  const draft = drafts.readPsbt(entry.psbt)
  if (!draft.inputs.some(({ outpoint }) => outpoint === entry.pinnedOutpoint))
    throw new SignedBytesError('it does not spend its pinned outpoint')
  // The PSBT is built again with keys that are derived here. The two PSBTs are equal only if the entry names
  // the same keys.
  if (drafts.toPsbt(draft, xpubsOf(parts, memory)) !== entry.psbt)
    throw new SignedBytesError('it has keys that are not ours')
  if (!draft.outputs.every((output) => isOwnOrPaid(parts, memory, output)))
    throw new SignedBytesError('its change does not go to an address of the hot wallet')
  const paid = draft.outputs.filter(({ key }) => key === undefined)
  if (textOf(paid) !== textOf(intendedBy(parts, entry.intent)))
    throw new SignedBytesError('its outputs differ from its intent')
}

function isOwnOrPaid(parts: UtxoParts, memory: EngineMemory, { address, key }: DraftOutput): boolean {
  if (key === undefined) return true
  const keyPath = keyPathOf(key)
  return keyPath.type === 'hot' && hotAddress(parts, memory, keyPath) === address
}

function intendedBy({ coldAddress }: UtxoParts, intent: Intent): readonly Paid[] {
  if (intent.kind === 'treasury_withdrawal' && coldAddress === undefined)
    throw new SignedBytesError('it is a treasury withdrawal, and no cold address is set here')
  return paidBy(intent).map(({ address = coldAddress, amountMinor }) => ({ address, amountMinor }))
}

function textOf(paid: readonly Paid[]): string {
  return paid
    .map(({ address, amountMinor }) => `${address} ${amountMinor}`)
    .toSorted()
    .join()
}
