/**
 * Executes signed transactions on a fake chain. There is no EVM, so only the types of `Spend` can be
 * executed.
 */
import type { Hex } from 'viem'
import {
  hashAuthorization,
  keccak256,
  parseTransaction,
  recoverAddress,
  serializeTransaction,
} from 'viem/utils'
import { required } from '../../core/assert.ts'
import { spendOf } from '../evm/spend-call.ts'
import { sweepDelegateOf } from '../evm/sweep-delegate.ts'
import type { Delegation, Spend, TransferAsset, UnsignedTransaction } from '../port.ts'
import { balanceAfter, type Conduct, type FakeMove, type FakeTransaction } from './fake-chain.ts'

export interface ReadTransaction extends UnsignedTransaction {
  readonly txHash: string
  readonly sender: string
}

const coin: TransferAsset = { type: 'coin' }

/**
 * Transactions that were read before, by their signed bytes. They are kept because the same bytes are read
 * many times, by several nodes.
 */
const known = new Map<string, ReadTransaction>()
const knownMax = 1_000

/** Parses signed bytes and recovers their signers. @throws Error if the transaction makes no `Spend` */
export async function readSigned(raw: string): Promise<ReadTransaction> {
  const found = known.get(raw)
  if (found !== undefined) return found
  const read = await recovered(raw)
  if (known.size >= knownMax) known.clear()
  known.set(raw, read)
  return read
}

async function recovered(raw: string): Promise<ReadTransaction> {
  const hex: Hex = `0x${raw}`
  const { r, s, yParity, v: _, ...fields } = parseTransaction(hex)
  const { chainId, nonce, gas, maxFeePerGas, maxPriorityFeePerGas, to, value, data } = fields
  const signature = { r: required(r, 'r'), s: required(s, 's'), yParity: required(yParity, 'parity') }
  const digest = keccak256(serializeTransaction(fields))
  const sender = await recoverAddress({ hash: digest, signature })
  const spend = spendOf({ to: required(to, 'recipient'), amountMinor: value ?? 0n, callBytes: data ?? '0x' })
  const delegations: Delegation[] = []
  for (const { address, nonce: at, chainId: chain, ...signed } of fields.authorizationList ?? []) {
    const owner = await recoverAddress({
      hash: hashAuthorization({ address, nonce: at, chainId: chain }),
      signature: { r: signed.r, s: signed.s, yParity: required(signed.yParity, 'parity') },
    })
    delegations.push({ address: owner.toLowerCase(), delegate: address, nonce: at })
  }
  return {
    txHash: keccak256(hex),
    sender: sender.toLowerCase(),
    chainId: required(chainId, 'chain id'),
    nonce: nonce ?? 0,
    gasLimit: gas ?? 0n,
    maxFeePerGas: maxFeePerGas ?? 0n,
    maxPriorityFeePerGas: maxPriorityFeePerGas ?? 0n,
    spend: spend.type === 'sweep' ? { ...spend, delegations } : spend,
  }
}

/** Returns the gas that a spend uses on the fake chain, which is close to the gas on a real chain. */
export function gasOf(spend: Spend): bigint {
  switch (spend.type) {
    case 'pay':
      return spend.asset.type === 'coin' ? 21_000n : 50_000n
    case 'sweep':
      return 30_000n + 12_000n * BigInt(spend.addresses.length) + 25_000n * BigInt(spend.delegations.length)
    case 'deploy':
      return 1_000_000n
  }
}

/**
 * Returns the next nonce of an address: the number of transactions that it sent, plus the number of
 * delegations that it signed.
 */
export function nonceAfter(transactions: readonly FakeTransaction[], address: string): number {
  return transactions.reduce((count, { signed }) => {
    const own = signed?.sender === address ? 1 : 0
    return count + own + (signed?.delegated.filter((one) => one.address === address).length ?? 0)
  }, 0)
}

export function delegateAfter(transactions: readonly FakeTransaction[], address: string): string | undefined {
  const all = transactions.flatMap(({ signed }) => signed?.delegated ?? [])
  return all.findLast((one) => one.address === address)?.delegate
}

export function hotWalletsAfter(
  transactions: readonly FakeTransaction[],
  contract: string,
): readonly string[] | undefined {
  const made = transactions.flatMap(({ failed, signed }) =>
    failed || signed?.deployed === undefined ? [] : [signed.deployed],
  )
  return made.find((one) => one.contract === contract)?.hotWallets
}

/** Returns how the recipient of a payment behaves. A spend that pays nobody has no recipient. */
function conductOf(spend: Spend, conducts: ReadonlyMap<string, Conduct>): Conduct {
  return (spend.type === 'pay' ? conducts.get(spend.recipient) : undefined) ?? {}
}

/** Returns the gas that a spend needs. The recipient may need another amount of gas than usual. */
export function neededGas(spend: Spend, conducts: ReadonlyMap<string, Conduct>): bigint {
  return conductOf(spend, conducts).gas ?? gasOf(spend)
}

/**
 * Executes `transaction` after the mined transactions `before`, and returns it with its effects. `priceMinor`
 * is the price of a unit of gas.
 */
export function run(
  transaction: Omit<ReadTransaction, 'nonce'>,
  before: readonly FakeTransaction[],
  priceMinor: bigint,
  conducts: ReadonlyMap<string, Conduct>,
): FakeTransaction {
  const { txHash: hash, sender, spend, gasLimit: gas } = transaction
  const needed = neededGas(spend, conducts)
  const sent = { hash, failed: true, moves: [] }
  const signed = {
    sender,
    feeMinor: (gas < needed ? gas : needed) * priceMinor,
    delegated: [],
    deployed: undefined,
  }
  const paid: FakeTransaction = { ...sent, signed }
  if (gas < needed) return paid
  switch (spend.type) {
    case 'pay': {
      const { asset, recipient, amountMinor } = spend
      const hasIt = balanceAfter([...before, paid], asset, sender) >= amountMinor
      if (asset.type === 'token' && conductOf(spend, conducts).movesNothing) return { ...paid, failed: false }
      return hasIt ? { ...paid, failed: false, moves: [{ asset, sender, recipient, amountMinor }] } : paid
    }
    case 'sweep': {
      const held = spend.delegations.filter(({ address, nonce }) => nonceAfter(before, address) === nonce)
      const delegating: FakeTransaction = { ...paid, signed: { ...signed, delegated: held } }
      if (hotWalletsAfter(before, spend.delegate)?.includes(sender) !== true) return delegating
      return { ...delegating, failed: false, moves: swept(spend, sender, [...before, delegating]) }
    }
    case 'deploy': {
      const contract = sweepDelegateOf(spend.hotWallets)
      if (hotWalletsAfter(before, contract) !== undefined) return paid
      return {
        ...paid,
        failed: false,
        signed: { ...signed, deployed: { contract, hotWallets: spend.hotWallets } },
      }
    }
  }
}

function swept(
  { addresses, assets, delegate }: Extract<Spend, { readonly type: 'sweep' }>,
  hotWallet: string,
  before: readonly FakeTransaction[],
): readonly FakeMove[] {
  const tokens = assets.filter(({ type }) => type === 'token')
  const inOrder = tokens.length < assets.length ? [...tokens, coin] : tokens
  return [...new Set(addresses)]
    .filter((address) => delegateAfter(before, address) === delegate)
    .flatMap((sender) =>
      inOrder.map((asset) => ({
        asset,
        sender,
        recipient: hotWallet,
        amountMinor: balanceAfter(before, asset, sender),
        internal: true,
      })),
    )
}
