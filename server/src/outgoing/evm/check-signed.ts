/** Checks what the signer signed on EVM chains against the request and against our own addresses. */
import { SignedBytesError } from '../../chains/port.ts'
import { assert } from '../../core/assert.ts'
import type { LogEntry, SignRequest } from '../../signing/signer-port.ts'
import type { EngineMemory } from '../engine/engine-memory.ts'
import { type AccountParts, ownAddressBook, walletOf } from './account-parts.ts'
import { spendOf } from './spend-of.ts'

/**
 * Verifies that the signed bytes are the requested transaction, and that the wallet named in the request
 * signed them.
 * @returns the hash of the transaction
 * @throws SignedBytesError if the transaction or its sender is another one
 */
export function readSignedFrom(
  parts: AccountParts,
  memory: EngineMemory,
  request: SignRequest,
  raw: string,
): string {
  assert('unsigned' in request, 'a request for an EVM network contains an unsigned EVM transaction')
  const { from } = request
  if (from.type === 'hot') throw new SignedBytesError('a key of a UTXO chain sends nothing here')
  const { txHash, unsigned } = parts.codec.readSigned(raw, walletOf(parts, memory, from))
  if (unsigned !== request.unsigned)
    throw new SignedBytesError('they belong to another transaction than the requested one')
  return txHash
}

/**
 * Verifies that the transaction in an entry of the signer's log is for our chain and does what the entry's
 * intent says. The entry may be older than the newest hot wallets. Its sweep contract may therefore be an
 * older one, made for fewer hot wallets.
 * @throws SignedBytesError if the transaction is for another chain or does anything else
 */
export function requireOwnSpend(parts: AccountParts, memory: EngineMemory, entry: LogEntry): void {
  assert('unsigned' in entry, 'a log entry of an EVM network contains an unsigned EVM transaction')
  const { codec, network, coldAddress } = parts
  const { intent, nonce, unsigned } = entry
  if (intent.kind === 'treasury_withdrawal' && coldAddress === undefined)
    throw new SignedBytesError('it is a treasury withdrawal, and no cold address is set here')
  const { gasLimit, maxFeePerGas, maxPriorityFeePerGas } = codec.parse(unsigned)
  const own = ownAddressBook(parts, memory)
  const isOwn = own.hotWallets.some((_, added) => {
    const hotWallets = own.hotWallets.slice(0, own.hotWallets.length - added)
    const at = { ...own, delegate: codec.delegateOf(hotWallets) }
    const spend = spendOf(intent, intent.kind === 'deploy' ? { ...at, hotWallets } : at)
    const { chainId } = network
    return (
      codec.serialize({ chainId, nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas, spend }) === unsigned
    )
  })
  if (!isOwn) throw new SignedBytesError('its transaction differs from its intent')
}
