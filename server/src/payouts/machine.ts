/** What the steps of the outgoing machine work with, on one network. */
import type { Cursor } from '../blocks/block.ts'
import type { EvmNetwork } from '../chains/networks.ts'
import type { AddressCodec, ChainReader, ChainSender, SpendCodec } from '../chains/port.ts'
import { required } from '../core/assert.ts'
import type { Log } from '../core/log.ts'
import { assertLease, type Lease } from '../db/lease.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import type { WalletPlace } from '../intents/intent.ts'
import type { Signer } from '../intents/signer-port.ts'
import type { PricePolicy } from './accounts/price-gas.ts'
import { type HaltCause, haltPayouts } from './halts.ts'
import type { PayoutPurpose } from './purpose.ts'
import { addressAt, type OwnPlaces } from './spend-of.ts'

export interface PayoutParts {
  readonly db: Db
  readonly log: Log
  readonly network: EvmNetwork
  readonly chain: ChainReader
  readonly sender: ChainSender
  readonly codec: SpendCodec
  readonly addresses: AddressCodec
  readonly signer: Signer
  /** In the order in which they are asked what is to be sent. */
  readonly purposes: readonly PayoutPurpose[]
  /** The account of the deposit addresses, as it is configured; the signer must attest the same. */
  readonly xpub: string
  /** Where the operator takes money to; the signer has it from its own settings. */
  readonly coldAddress?: string | undefined
  /** Whether final blocks may still be taken back: on dev chains only. */
  readonly mayUndoFinal: boolean
  readonly policy?: PricePolicy
  /** How many transactions a lane may have in no block yet. */
  readonly inFlightMax?: number
}

/** What the holder of the lease remembers; losing it costs a look, never money. */
export interface Session {
  readonly lease: Lease
  /** The lanes' addresses; empty until they were attested once. */
  lanes: readonly string[]
  /** Whether the signer that answers now has shown that its keys and its log are ours. */
  isAttested: boolean
  /** Where our blocks ended when receipts were last read, if nothing was sent since. */
  followed: Pick<Cursor, 'height' | 'hash' | 'finalHeight'> | undefined
  /** The hash of the block at which doubts were last looked into. */
  doubtedAt: string | undefined
  /** What was told last of what waits, so that it is written when it changes. */
  waits: string
  /** Alerts that were raised lately, by their subject. */
  readonly alertedAtMs: Map<string, number>
}

export function openSession(lease: Lease): Session {
  return {
    lease,
    lanes: [],
    isAttested: false,
    followed: undefined,
    doubtedAt: undefined,
    waits: '',
    alertedAtMs: new Map(),
  }
}

/** The network's coin, as the ledger calls it. */
export function coinOf({ network }: Pick<PayoutParts, 'network'>): string {
  return `${network.name}/${network.coin.symbol}`
}

export function ownPlaces(
  { addresses, codec, xpub, coldAddress }: PayoutParts,
  { lanes }: Pick<Session, 'lanes'>,
): OwnPlaces {
  return {
    lanes,
    delegate: codec.delegateOf(lanes),
    cold: coldAddress,
    deposit: ({ branch, index }) => required(addresses.derive(xpub, branch, index, 1)[0], 'an address'),
  }
}

/** The address of a wallet of ours. */
export function walletOf(parts: PayoutParts, session: Session, place: WalletPlace): string {
  return addressAt(ownPlaces(parts, session), place)
}

/** Halts everything by what was found under the lease; whoever lost it was looking at something old, and halts nothing. */
export async function haltUnderLease(
  { db, log }: PayoutParts,
  { lease }: Session,
  cause: HaltCause,
  detail: string,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    await assertLease(tx, lease)
    await haltPayouts({ db: tx, log }, cause, detail)
  })
}

const alertEveryMs = 60_000

/** Tells operators of something that stands, once a minute for as long as it does. `alert` is a stable word. */
export function raiseAlert(
  { log, network }: Pick<PayoutParts, 'log' | 'network'>,
  { alertedAtMs }: Session,
  alert: string,
  fields: { readonly subject: string } & Readonly<Record<string, unknown>>,
  message: string,
): void {
  const key = `${alert} ${fields.subject}`
  const nowMs = performance.now()
  const lastMs = alertedAtMs.get(key)
  if (lastMs !== undefined && nowMs - lastMs < alertEveryMs) return
  for (const [other, atMs] of alertedAtMs) if (nowMs - atMs >= alertEveryMs) alertedAtMs.delete(other)
  alertedAtMs.set(key, nowMs)
  log.error({ alert, network: network.name, ...fields }, message)
}
