import type { EvmNetwork } from '../../src/chains/evm/evm-networks.ts'
import type { AccountSender, ChainReader } from '../../src/chains/port.ts'
import type { UtxoSender } from '../../src/chains/utxo/utxo-port.ts'
import type { Log } from '../../src/core/log.ts'
import type { Screening } from '../../src/payments/screening/screen.ts'
import type { Db } from '../../src/platform/db/pool.ts'
import type { PaymentMethods } from '../../src/pricing/payment-methods/payment-method.ts'
import type { Signer } from '../../src/signing/signer-port.ts'
import type { Market } from '../prices/market.ts'
import type { FixedUtxo } from './fixed.ts'

/**
 * The connections of a process. Each call over them parks first, which means that it waits until the
 * scheduler runs it.
 */
export interface Handles {
  readonly db: Db
  readonly log: Log
  readonly signer: Signer
  readonly screening: Screening
  readonly methods: PaymentMethods
  readonly market: Market
  /** The nodes of each EVM network; empty if the installation uses none. */
  readonly evm: readonly EvmHandles[]
  /** The node of the UTXO network; undefined if the installation does not use one. */
  readonly utxo: UtxoHandles | undefined
}

/** The nodes of a network. A process reaches them through these two objects. */
export interface NodeHandles<Sender> {
  readonly reader: ChainReader
  readonly sender: Sender
}

export interface EvmHandles extends NodeHandles<AccountSender> {
  readonly network: EvmNetwork
}

export interface UtxoHandles extends NodeHandles<UtxoSender> {
  readonly fixed: FixedUtxo
}
