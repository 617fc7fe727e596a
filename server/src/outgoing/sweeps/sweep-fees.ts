/** Reads what the bytes of sweeps cost on OP-stack networks, where they are paid in addition to gas. */
import { networkOf } from '../../chains/networks.ts'
import type { AccountSender, SpendCodec, TransferAsset, UnsignedTransaction } from '../../chains/port.ts'
import { max } from '../../core/money.ts'
import type { AddressedFee } from './sweep.ts'

/** The current data fees of sweeps on one network, in the coin's smallest unit. */
export interface SweepFees {
  /** A sweep of many addresses. */
  readonly batch: AddressedFee
  /** A transfer of the coin or of a token by an address itself. */
  readonly coinTransferMinor: bigint
  readonly tokenTransferMinor: bigint
}

export const noDataCosts: SweepFees = {
  batch: { baseMinor: 0n, addressMinor: 0n },
  coinTransferMinor: 0n,
  tokenTransferMinor: 0n,
}

interface DataCostParts {
  readonly sender: Pick<AccountSender, 'readDataFees'>
  readonly codec: Pick<SpendCodec, 'delegateOf'>
}

/** The number of addresses in the larger of two sweeps whose fees are compared. */
const sampleAddresses = 21

/**
 * Reads the fees of transactions like those that sweep.
 * @throws NodeError if no node reports the fees
 */
export async function readDataCosts(
  { sender, codec }: DataCostParts,
  network: string,
  hotWallets: readonly string[],
  signal: AbortSignal,
): Promise<SweepFees> {
  const row = networkOf(network)
  if (row?.family !== 'evm' || row.feeModel !== 'op-stack') return noDataCosts
  const token: TransferAsset = { type: 'token', contract: addressLike(0) }
  const delegate = codec.delegateOf(hotWallets)
  const sweepOf = (count: number): UnsignedTransaction['spend'] => {
    const addresses = Array.from({ length: count }, (_, index) => addressLike(index + 1))
    const delegations = addresses.map((address) => ({ address, delegate, nonce: 0 }))
    return { type: 'sweep', delegate, addresses, assets: [token], delegations }
  }
  const transferOf = (asset: TransferAsset): UnsignedTransaction['spend'] => ({
    type: 'pay',
    asset,
    recipient: addressLike(0),
    amountMinor: 123_456_789_012_345_678n,
  })
  const spends = [sweepOf(1), sweepOf(sampleAddresses), transferOf({ type: 'coin' }), transferOf(token)]
  const transactions = spends.map((spend) => ({ ...like, chainId: row.chainId, spend }))
  const [one = 0n, many = 0n, coinTransferMinor = 0n, tokenTransferMinor = 0n] = await sender.readDataFees(
    transactions,
    signal,
  )
  const addressMinor = max(0n, many - one) / BigInt(sampleAddresses - 1) + 1n
  return {
    batch: { baseMinor: max(0n, one - addressMinor), addressMinor },
    coinTransferMinor,
    tokenTransferMinor,
  }
}

/** The fields of a transaction whose values hardly change its size. */
const like = { nonce: 50_000, gasLimit: 150_000n, maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 10n ** 7n }

/** Returns an address whose bytes cannot be compressed, as those of real addresses. */
function addressLike(index: number): string {
  const factor = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c834_1082_276bn
  return `0x${((factor * BigInt(2 * index + 3)) % 2n ** 160n).toString(16).padStart(40, '0')}`
}
