/** What the signer signed of coins, held against what was asked and against our own keys. */

import { SignedBytesError } from '../../chains/port.ts'
import type { DraftOutput } from '../../chains/utxo/coin-port.ts'
import { assert } from '../../core/assert.ts'
import type { Intent } from '../../signing/intent.ts'
import type { LogEntry, SignRequest } from '../../signing/signer-port.ts'
import type { MachineMemory } from '../engine/machine-memory.ts'
import { type CoinParts, hotAddress, placeOf, xpubsOf } from './coin-parts.ts'
import { type Paid, paidBy } from './shape.ts'

/** @throws SignedBytesError unless it is what was asked, signed with the keys that were named */
export function readSignedPsbt({ drafts }: CoinParts, request: SignRequest, raw: string): string {
  assert('psbt' in request, 'a request of such a network spends coins')
  return drafts.readSigned(request.psbt, raw)
}

/**
 * What an entry of the log was asked with must spend coins at keys of ours, pay what its intent says, and bring all else
 * back to the hot wallet.
 * @throws SignedBytesError
 */
export function requireOwnDraft(parts: CoinParts, memory: MachineMemory, entry: LogEntry): void {
  assert('psbt' in entry, 'an entry of such a network spends coins')
  const { drafts } = parts
  const draft = drafts.readPsbt(entry.psbt)
  if (!draft.inputs.some(({ outpoint }) => outpoint === entry.anchor))
    throw new SignedBytesError('it does not spend its anchor')
  // Written again with keys derived here, it is the same only if it named those.
  if (drafts.toPsbt(draft, xpubsOf(parts, memory)) !== entry.psbt)
    throw new SignedBytesError('it names keys that are not ours')
  if (!draft.outputs.every((output) => isOwnOrPaid(parts, memory, output)))
    throw new SignedBytesError('what comes back goes to no address of the hot wallet')
  const paid = draft.outputs.filter(({ key }) => key === undefined)
  if (spelled(paid) !== spelled(intendedBy(parts, entry.intent)))
    throw new SignedBytesError('it pays something else than its intent says')
}

function isOwnOrPaid(parts: CoinParts, memory: MachineMemory, { address, key }: DraftOutput): boolean {
  if (key === undefined) return true
  const place = placeOf(key)
  return place.type === 'hot' && hotAddress(parts, memory, place) === address
}

function intendedBy({ coldAddress }: CoinParts, intent: Intent): readonly Paid[] {
  if (intent.kind === 'take_out' && coldAddress === undefined)
    throw new SignedBytesError('it is taken out, and no cold address is set here')
  return paidBy(intent).map(({ address = coldAddress, amountMinor }) => ({ address, amountMinor }))
}

function spelled(paid: readonly Paid[]): string {
  return paid
    .map(({ address, amountMinor }) => `${address} ${amountMinor}`)
    .toSorted()
    .join()
}
