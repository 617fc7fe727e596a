import { type BlockRef, type ChainReader, NodeError } from '../../../chains/port.ts'
import type { PaymentMethod } from '../../../pricing/payment-methods/payment-method.ts'
import type { DepositTransfer } from './value-deposits.ts'

/**
 * The largest transfer, in whole units, for which the token's supply is not read. Everyday payments therefore
 * cost no request.
 */
const unaskedUnits = 100_000n

/**
 * Marks a deposit as implausible if it is above its method's maximum or above the token's supply. A marked
 * deposit is put into quarantine. The check is needed because a token contract can log a transfer of any
 * amount. A token that does not report its supply is treated as having none. Deposits of at most
 * `unaskedUnits` are not checked.
 */
export async function markImplausible(
  chain: ChainReader,
  block: BlockRef,
  deposits: readonly DepositTransfer[],
  signal: AbortSignal,
): Promise<readonly DepositTransfer[]> {
  const large = deposits.filter(({ transfer, method }) => transfer.amountMinor > unaskedMinor(method))
  if (large.length === 0) return deposits
  const supplies = await readSupplies(chain, block, large, signal)
  const implausible = new Set(
    large.filter(({ transfer: { amountMinor }, method: { contract, depositMaxMinor } }) => {
      if (amountMinor > depositMaxMinor) return true
      return supplies.has(contract ?? '') && amountMinor > (supplies.get(contract ?? '') ?? 0n)
    }),
  )
  return deposits.map((deposit) =>
    implausible.has(deposit) ? { ...deposit, verdict: 'implausible' } : deposit,
  )
}

/**
 * Returns the total supplies of tokens by contract. No supply is read for a transfer above its method's
 * maximum, because the maximum alone decides. A supply is undefined if the token does not report it.
 */
async function readSupplies(
  chain: ChainReader,
  block: BlockRef,
  large: readonly DepositTransfer[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, bigint | undefined>> {
  const supplies = new Map<string, bigint | undefined>()
  const read = chain.readTotalSupply?.bind(chain)
  if (read === undefined) return supplies
  for (const { method, transfer } of large) {
    const { contract, depositMaxMinor } = method
    if (contract === undefined || transfer.amountMinor > depositMaxMinor || supplies.has(contract)) continue
    supplies.set(contract, await readSupply(chain, read, { contract, block }, signal))
  }
  return supplies
}

function unaskedMinor({ decimals }: Pick<PaymentMethod, 'decimals'>): bigint {
  return unaskedUnits * 10n ** BigInt(decimals)
}

/**
 * Returns a token's supply at a block, or at the head if the supply at the block is not available. Returns
 * undefined if the token does not report its supply. A large deposit of this token then goes to quarantine.
 * @throws NodeError if no node answers
 */
async function readSupply(
  chain: ChainReader,
  read: NonNullable<ChainReader['readTotalSupply']>,
  { contract, block }: { readonly contract: string; readonly block: BlockRef },
  signal: AbortSignal,
): Promise<bigint | undefined> {
  const ask = async (height: number) => {
    try {
      return await read(contract, height, signal)
    } catch (error) {
      // An error with a cause means that the node did not answer. The error is thrown again, so that the
      // block is read again later.
      if (!(error instanceof NodeError) || error.cause !== undefined || signal.aborted) throw error
      return undefined
    }
  }
  return (await ask(block.height)) ?? (await ask((await chain.readHead(signal)).height))
}
