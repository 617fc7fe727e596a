import { type BlockRef, type ChainReader, NodeError } from '../../../chains/port.ts'
import type { PaymentMethod } from '../../../pricing/payment-methods/payment-method.ts'
import type { Deposit } from './value-deposits.ts'

/** Below so many whole units nobody asks for a token's supply: what is paid every day costs no question. */
const unaskedUnits = 100_000n

/**
 * Marks deposits that nobody can have made: of more than their method's bound, or of more than there is of the token. A token
 * may tell of any transfer; what it tells of is put into quarantine then.
 */
export async function markImplausible(
  chain: ChainReader,
  block: BlockRef,
  deposits: readonly Deposit[],
  signal: AbortSignal,
): Promise<readonly Deposit[]> {
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

/** By contract, of those about whose transfers the bound alone says nothing; undefined where a token does not say. */
async function readSupplies(
  chain: ChainReader,
  block: BlockRef,
  large: readonly Deposit[],
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
 * Undefined where the token does not say: then a large deposit waits for an operator. Nodes that keep no state of old blocks
 * are asked for the head's. @throws NodeError where no node is there
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
      // With a cause the node is away, and the block is matched again later.
      if (!(error instanceof NodeError) || error.cause !== undefined || signal.aborted) throw error
      return undefined
    }
  }
  return (await ask(block.height)) ?? (await ask((await chain.readHead(signal)).height))
}
