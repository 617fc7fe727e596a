/** What the signer signed of accounts, held against what was asked and against our own addresses. */
import { SignedBytesError } from '../../chains/port.ts'
import { assert } from '../../core/assert.ts'
import type { LogEntry, SignRequest } from '../../signing/signer-port.ts'
import type { MachineMemory } from '../engine/machine-memory.ts'
import { type AccountParts, ownPlaces, walletOf } from './account-parts.ts'
import { spendOf } from './spend-of.ts'

/** @throws SignedBytesError unless it is what was asked, signed by the wallet that was to send it */
export function readSignedFrom(
  parts: AccountParts,
  memory: MachineMemory,
  request: SignRequest,
  raw: string,
): string {
  assert('unsigned' in request, 'a request of such a network is of an account')
  const { txHash, unsigned } = parts.codec.readSigned(raw, walletOf(parts, memory, request.from))
  if (unsigned !== request.unsigned)
    throw new SignedBytesError('they are of another transaction than was asked')
  return txHash
}

/**
 * What an entry of the log was asked with must do what its intent says on our own chain. It may be older than the newest
 * lanes, so that its sweep contract may be that of fewer.
 * @throws SignedBytesError
 */
export function requireOwnSpend(parts: AccountParts, memory: MachineMemory, entry: LogEntry): void {
  assert('unsigned' in entry, 'an entry of such a network is of an account')
  const { codec, network, coldAddress } = parts
  const { intent, nonce, unsigned } = entry
  if (intent.kind === 'take_out' && coldAddress === undefined)
    throw new SignedBytesError('it is taken out, and no cold address is set here')
  const { gas, maxFeeMinor, tipMinor } = codec.parse(unsigned)
  const own = ownPlaces(parts, memory)
  const isOwn = own.lanes.some((_, added) => {
    const lanes = own.lanes.slice(0, own.lanes.length - added)
    const at = { ...own, delegate: codec.delegateOf(lanes) }
    const spend = spendOf(intent, intent.kind === 'deploy' ? { ...at, lanes } : at)
    const { chainId } = network
    return codec.serialize({ chainId, nonce, gas, maxFeeMinor, tipMinor, spend }) === unsigned
  })
  if (!isOwn) throw new SignedBytesError('its transaction does something else than its intent says')
}
