import type { AccountSender, ChainReader } from '../../src/chains/port.ts'
import type { UtxoSender } from '../../src/chains/utxo/utxo-port.ts'
import type { Log } from '../../src/core/log.ts'
import type { Screening } from '../../src/payments/screening/screen.ts'
import type { Db } from '../../src/platform/db/pool.ts'
import type { PaymentMethods } from '../../src/pricing/payment-methods/payment-method.ts'
import type { Signer } from '../../src/signing/signer-port.ts'
import type { FixedUtxo } from './fixed.ts'

/** What a process is given: its own handles, each of which parks before it does anything. */
export interface Handles {
  readonly db: Db
  readonly log: Log
  readonly signer: Signer
  readonly screening: Screening
  readonly methods: PaymentMethods
  /** Ethereum's nodes; undefined if the installation is not on Ethereum. */
  readonly ethereum: NodeHandles<AccountSender> | undefined
  /** The node of the UTXO network, if the installation is on one. */
  readonly utxo: UtxoHandles | undefined
}

/** The nodes of a network, as a process reaches them. */
export interface NodeHandles<Sender> {
  readonly reader: ChainReader
  readonly sender: Sender
}

export interface UtxoHandles extends NodeHandles<UtxoSender> {
  readonly fixed: FixedUtxo
}
