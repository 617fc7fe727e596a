import type { EvmNetwork, Network, UtxoNetwork } from '../chains/networks.ts'
import { addressCodecOf, openCoinSender, openSender } from '../chains/open-chain.ts'
import type { ChainReader } from '../chains/port.ts'
import { spendCodecs } from '../chains/spend-codecs.ts'
import { coinDraftsOf } from '../chains/utxo/encoding/coin-drafts.ts'
import { required } from '../core/assert.ts'
import type { Log } from '../core/log.ts'
import type { PayoutParts } from '../outgoing/engine/machine.ts'
import type { PayoutPurpose } from '../outgoing/engine/purpose.ts'
import { overAccounts } from '../outgoing/evm/accounts-way.ts'
import type { CollectedChain } from '../outgoing/sweeps/preview-sweeps.ts'
import { overCoins } from '../outgoing/utxo/coins-way.ts'
import type { Db } from '../platform/db/pool.ts'
import { mostConfirmations, type PaymentMethods } from '../pricing/payment-methods/payment-method.ts'
import type { Signer } from '../signing/signer-port.ts'
import type { CloseStack } from './close-stack.ts'
import type { OpenNode } from './open-node.ts'

export interface OpenPayoutsParts {
  readonly db: Db
  readonly log: Log
  readonly opened: CloseStack
  readonly nodes: readonly OpenNode[]
  readonly chains: readonly ChainReader[]
  /** Undefined where there is none: then no money leaves. */
  readonly signer: Signer | undefined
  /** The account of the deposit addresses. */
  readonly xpub: string
  /** Where the operator takes money out to, by network, as it was written. */
  readonly coldAddresses: ReadonlyMap<string, string>
  readonly mayUndoFinal: boolean
  /** The most gas that a withdrawal of a network's coin may take. */
  readonly nativeGasMax: bigint
  /** The accounts of the deposit addresses where money lies in coins, by network. */
  readonly xpubs: ReadonlyMap<string, string>
  readonly methods: PaymentMethods
  /** What merchants have sent on any chain. */
  readonly withdrawals: PayoutPurpose
  /** What the operator takes out of any. */
  readonly takeOuts: PayoutPurpose
  /** What else money leaves for on a chain of accounts. */
  purposesOf(chain: CollectedChain): readonly PayoutPurpose[]
}

/** The outgoing machine of each network that is followed and can be paid out on. */
export function openPayouts(parts: OpenPayoutsParts): readonly PayoutParts[] {
  const { signer, chains } = parts
  if (signer === undefined) return []
  return parts.nodes.flatMap(({ network, urls }) => {
    const chain = chains.find((one) => one.network === network.name)
    if (chain === undefined) return []
    const at = { urls, chain, signer }
    return network.family === 'evm'
      ? openAccounts(parts, { ...at, network })
      : openCoins(parts, { ...at, network })
  })
}

interface At<Row> {
  readonly network: Row
  readonly urls: readonly string[]
  readonly chain: ChainReader
  readonly signer: Signer
}

function openAccounts(
  parts: OpenPayoutsParts,
  { network, urls, chain, signer }: At<EvmNetwork>,
): PayoutParts {
  const { db, log, opened, xpub, mayUndoFinal, nativeGasMax } = parts
  const sender = openSender({ network, urls, log })
  opened.add('chain sender', () => sender.close())
  const codec = spendCodecs[network.family]
  return overAccounts({
    db,
    log,
    xpub,
    mayUndoFinal,
    nativeGasMax,
    network,
    chain,
    sender,
    signer,
    codec,
    addresses: addressCodecOf(network),
    coldAddress: coldAddressOf(parts, network),
    countedAs: (contract) => parts.methods.byTransferred(network.name, contract ?? undefined),
    purposes: [parts.withdrawals, ...parts.purposesOf({ reader: chain, sender, codec }), parts.takeOuts],
  })
}

/** In canonical spelling. */
function coldAddressOf({ coldAddresses }: OpenPayoutsParts, network: Network): string | undefined {
  const written = coldAddresses.get(network.name)
  return written === undefined ? undefined : addressCodecOf(network).canonical(written)
}

function openCoins(parts: OpenPayoutsParts, { network, urls, chain, signer }: At<UtxoNetwork>): PayoutParts {
  const { db, log, opened, xpubs, methods } = parts
  const sender = openCoinSender({ network, urls, log })
  opened.add('chain sender', () => sender.close())
  return overCoins({
    db,
    log,
    network,
    chain,
    sender,
    signer,
    drafts: coinDraftsOf(network),
    addresses: addressCodecOf(network),
    xpub: required(xpubs.get(network.name), `the account of ${network.name}`),
    coldAddress: coldAddressOf(parts, network),
    purposes: [parts.withdrawals, parts.takeOuts],
    // Work may always be outdone: nothing is final by the chain's own word.
    mayUndoFinal: true,
    finalDepth: mostConfirmations(methods, network.name),
  })
}
