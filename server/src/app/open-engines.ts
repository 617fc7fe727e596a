/**
 * Builds the engine for outgoing transactions of a network, with a sender, the signer and the outgoing
 * sources.
 */
import type { EvmNetwork } from '../chains/evm/evm-networks.ts'
import type { Network, UtxoNetwork } from '../chains/networks.ts'
import { addressCodecOf, openSender, openUtxoSender } from '../chains/open-chain.ts'
import type { ChainReader } from '../chains/port.ts'
import { spendCodecOf } from '../chains/spend-codecs.ts'
import { utxoDraftsOf } from '../chains/utxo/encoding/utxo-drafts.ts'
import { required } from '../core/assert.ts'
import type { Log } from '../core/log.ts'
import type { EngineParts } from '../outgoing/engine/engine-parts.ts'
import type { OutgoingSource } from '../outgoing/engine/outgoing-source.ts'
import { overAccounts } from '../outgoing/evm/evm-strategy.ts'
import type { SweptChain } from '../outgoing/sweeps/preview-sweeps.ts'
import { overUtxos } from '../outgoing/utxo/utxo-strategy.ts'
import type { Db } from '../platform/db/pool.ts'
import { mostConfirmations, type PaymentMethods } from '../pricing/payment-methods/payment-method.ts'
import type { Signer } from '../signing/signer-port.ts'
import type { CloseStack } from './close-stack.ts'
import type { OpenNode } from './open-node.ts'

export interface OpenEnginesParts {
  readonly db: Db
  readonly log: Log
  readonly opened: CloseStack
  readonly chains: readonly ChainReader[]
  readonly signer: Signer
  /** The account xpub of the deposit addresses on EVM networks. */
  readonly xpub: string
  /**
   * The cold address of each network, to which the operator's treasury withdrawals go, as written in the
   * settings.
   */
  readonly coldAddresses: ReadonlyMap<string, string>
  readonly mayUndoFinal: boolean
  /** The maximum gas for a withdrawal of a network's native coin. */
  readonly nativeGasMax: bigint
  /** The account xpubs of the deposit addresses on UTXO networks, by network. */
  readonly xpubs: ReadonlyMap<string, string>
  readonly methods: PaymentMethods
  /** The outgoing source of merchants' withdrawals on all networks. */
  readonly withdrawals: OutgoingSource
  /** The outgoing source of the operator's treasury withdrawals on all networks. */
  readonly treasuryWithdrawals: OutgoingSource
  /**
   * Returns the outgoing sources of an EVM network other than the two sources of withdrawals, such as sweeps.
   */
  outgoingSourcesOf(chain: SweptChain): readonly OutgoingSource[]
}

/** Returns the engine for outgoing transactions of a network that this server follows. */
export function openEngine(parts: OpenEnginesParts, { network, urls }: OpenNode): EngineParts {
  const { signer, chains } = parts
  const chain = required(
    chains.find((one) => one.network === network.name),
    `the reader of ${network.name}`,
  )
  const at = { urls, chain, signer }
  return network.family === 'evm'
    ? openAccounts(parts, { ...at, network })
    : openUtxoEngine(parts, { ...at, network })
}

interface At<Row> {
  readonly network: Row
  readonly urls: readonly string[]
  readonly chain: ChainReader
  readonly signer: Signer
}

function openAccounts(
  parts: OpenEnginesParts,
  { network, urls, chain, signer }: At<EvmNetwork>,
): EngineParts {
  const { db, log, opened, xpub, mayUndoFinal, nativeGasMax } = parts
  const sender = openSender({ network, urls, log })
  opened.add('chain sender', () => sender.close())
  const codec = spendCodecOf(network)
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
    outgoingSources: [
      parts.withdrawals,
      ...parts.outgoingSourcesOf({ reader: chain, sender, codec }),
      parts.treasuryWithdrawals,
    ],
  })
}

/** Returns the cold address of a network in canonical form. */
function coldAddressOf({ coldAddresses }: OpenEnginesParts, network: Network): string | undefined {
  const written = coldAddresses.get(network.name)
  return written === undefined ? undefined : addressCodecOf(network).canonical(written)
}

function openUtxoEngine(
  parts: OpenEnginesParts,
  { network, urls, chain, signer }: At<UtxoNetwork>,
): EngineParts {
  const { db, log, opened, xpubs, methods } = parts
  const sender = openUtxoSender({ network, urls, log })
  opened.add('chain sender', () => sender.close())
  return overUtxos({
    db,
    log,
    network,
    chain,
    sender,
    signer,
    drafts: utxoDraftsOf(network),
    addresses: addressCodecOf(network),
    xpub: required(xpubs.get(network.name), `the account of ${network.name}`),
    coldAddress: coldAddressOf(parts, network),
    outgoingSources: [parts.withdrawals, parts.treasuryWithdrawals],
    // By the rules of a UTXO chain no block is final: a fork with more proof of work can replace any block.
    mayUndoFinal: true,
    finalDepth: mostConfirmations(methods, network.name),
  })
}
