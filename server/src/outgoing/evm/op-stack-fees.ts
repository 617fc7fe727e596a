/**
 * Plans for the fee that OP-stack networks charge in addition to gas. Two amounts belong to a transaction: the
 * fee that is set aside for it, which follows the network's current price, and the fee that the signer counts
 * towards its limits, which follows the size of the signed transaction alone.
 */
import type { EvmFees, UnsignedTransaction } from '../../chains/port.ts'
import { required } from '../../core/assert.ts'
import type { EngineMemory } from '../engine/engine-memory.ts'
import type { Proposal } from '../engine/outgoing-source.ts'
import { dataFeePerByteMinor } from '../engine/signer-client/attested-limits.ts'
import { type AccountParts, gasRulesOf, ownAddressBook } from './account-parts.ts'
import { gasMax } from './price-gas.ts'
import { spendOf } from './spend-of.ts'

/**
 * Returns the data fee to set aside for a transaction that would be charged `currentMinor` now. The base fee of
 * the chain below may rise by one eighth in each of its blocks. Twice the fee is enough for five such blocks,
 * as for the base fee of the network itself (`priceFor`).
 */
export function dataFeeMaxMinor(currentMinor: bigint): bigint {
  return 2n * currentMinor
}

/**
 * Returns, by proposal id, the data fee to set aside for each proposal. Empty on networks that charge for gas
 * alone.
 * @throws NodeError if no node reports the fees
 */
export async function readDataFeesMax(
  parts: AccountParts,
  memory: EngineMemory,
  proposals: readonly Pick<Proposal, 'id' | 'intent'>[],
  price: Omit<EvmFees, 'gasLimit'>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, bigint>> {
  if (parts.network.feeModel !== 'op-stack' || proposals.length === 0) return new Map()
  const transactions = proposals.map((proposal) =>
    unnumbered(parts, memory, proposal, { ...price, gasLimit: gasMax(proposal, gasRulesOf(parts)) }),
  )
  const current = await parts.sender.readDataFees(transactions, signal)
  return new Map(
    proposals.map(({ id }, index) => [id, dataFeeMaxMinor(required(current[index], 'a data fee'))]),
  )
}

/**
 * Returns the amount that the signer counts towards its limits for the bytes of a transaction. Undefined if the
 * signer counts none, as on networks that charge for gas alone.
 */
export function countedDataMinor(
  parts: AccountParts,
  memory: EngineMemory,
  proposal: Pick<Proposal, 'intent'>,
  fees: EvmFees,
): bigint | undefined {
  const perByteMinor = dataFeePerByteMinor(memory.limits, parts.network)
  if (perByteMinor === undefined) return undefined
  const bytes = parts.codec.signedBytesMax(unnumbered(parts, memory, proposal, fees))
  return perByteMinor * BigInt(bytes)
}

/** A nonce that takes as many bytes as any nonce of a wallet. Only the size of the transaction matters here. */
const longNonce = 2 ** 32 - 1

function unnumbered(
  parts: AccountParts,
  memory: EngineMemory,
  { intent }: Pick<Proposal, 'intent'>,
  { gasLimit, maxFeePerGas, maxPriorityFeePerGas }: EvmFees,
): UnsignedTransaction {
  const spend = spendOf(intent, ownAddressBook(parts, memory))
  const { chainId } = parts.network
  return { chainId, nonce: longNonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas, spend }
}
