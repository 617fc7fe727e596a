/** The UTXO chain of a simulation, and the actions of payers and miners. */
import { Address } from '@scure/btc-signer'
import { FakeChain, type FakeMove, type FakeTransaction } from '../../src/chains/fake/fake-chain.ts'
import { creatorOf } from '../../src/chains/fake/fake-mempool.ts'
import { openFakeReader } from '../../src/chains/fake/fake-reader.ts'
import { type FakeUtxoPool, openFakeUtxoSender } from '../../src/chains/fake/fake-utxo-sender.ts'
import type { ChainReader } from '../../src/chains/port.ts'
import { addressEncodingOf } from '../../src/chains/utxo/address-encoding.ts'
import { required } from '../../src/core/assert.ts'
import type { Dice } from '../dice.ts'
import type { OwnSpend } from '../model/check-final.ts'
import type { FeeTerms } from '../model/transfers.ts'
import { Deepest } from './deepest.ts'
import type { FixedUtxo } from './fixed.ts'

/** An output of a payer's transaction. */
export interface PaidOutput {
  readonly recipient: string
  readonly amountMinor: bigint
}

/** The lowest fee rate that nodes relay, for 1,000 virtual bytes. */
const leastRate = 1_000n

export class UtxoSide {
  readonly fixed: FixedUtxo
  readonly chain: FakeChain
  readonly reader: ChainReader
  readonly sender: FakeUtxoPool
  /** The height of the newest block that no reorganisation may drop. */
  firstHeight = 0
  /** The highest fee rate that the node ever returned and that the service may pay, for 1,000 virtual bytes. */
  highestRate = 0n
  readonly deepest = new Deepest()
  /** The lowest fee rate that miners accept, for 1,000 virtual bytes. */
  #minedRate = leastRate
  /** The outputs that transactions of the service spend. */
  readonly ownSpends: OwnSpend[] = []
  /** The transactions of the service that a node ever took, by hash. */
  readonly #own = new Map<string, FakeTransaction>()
  /** The transactions of payers, by hash. */
  readonly #payments = new Map<string, FakeTransaction>()

  constructor(seed: number, genesisAt: Date, fixed: FixedUtxo) {
    const { network } = fixed
    this.fixed = fixed
    this.chain = new FakeChain({ seed: `${seed} ${network.name}`, genesisAt, hashPrefix: '' })
    const reader = openFakeReader(this.chain, { network: network.name, hasOutpoints: true })
    this.reader = { ...reader, traits: { ...reader.traits, family: 'utxo', hasContracts: false } }
    this.sender = openFakeUtxoSender(this.chain, network, (transaction) => this.#noteSpends(transaction))
    this.setRates(network.chain.usualFeeRate, leastRate)
  }

  get name(): string {
    return this.fixed.network.name
  }

  /** The transactions that a reorganisation dropped, and that no block contains now. */
  get lost(): readonly FakeTransaction[] {
    return this.deepest.droppedFrom(this.chain)
  }

  get feeTerms(): FeeTerms {
    const { usualFeeRate, dustMinor, canReplace } = this.fixed.network.chain
    return {
      highestRate: this.highestRate,
      usualRate: usualFeeRate,
      dustMinor,
      canReplace,
      bareBytesOf: (txHash) => required(this.sender.offerOf(txHash), `the bytes of ${txHash}`).bareBytes,
    }
  }

  /**
   * Sets the fee rate that the node estimates, and the lowest rate that miners accept. Both are for 1,000
   * virtual bytes.
   */
  setRates(estimated: bigint, mined: bigint): void {
    this.sender.feeRate = { rateMinor: estimated, leastMinor: leastRate, source: 'estimate' }
    this.#minedRate = mined
    const isPaid = estimated <= this.fixed.network.chain.feeRateMax
    if (isPaid && estimated > this.highestRate) this.highestRate = estimated
  }

  /**
   * Ends all faults of the node. Each call also halves the lowest fee rate that miners accept, down to the
   * relay minimum.
   */
  calm(): void {
    Object.assign(this.chain.faults, { away: false, lagBlocks: 0, failuresLeft: 0 })
    const mined = this.#minedRate / 2n
    this.setRates(this.fixed.network.chain.usualFeeRate, mined > leastRate ? mined : leastRate)
  }

  /** Returns a random address whose key the installation does not hold. */
  newAddress(dice: Dice): string {
    const hash = Buffer.alloc(20)
    dice.fill(hash)
    return Address(addressEncodingOf(this.fixed.network.chain)).encode({
      type: 'wpkh',
      hash: Uint8Array.from(hash),
    })
  }

  /** Sends a payment with these outputs from an outside payer. The payment then waits for a block. */
  pay(outputs: readonly PaidOutput[]): void {
    this.#submit(outputs, [this.chain.newOutpoint()])
  }

  /** The payments of payers that wait for a block. */
  get waitingPayments(): readonly FakeTransaction[] {
    return this.#waiting.filter(({ hash }) => this.#payments.has(hash))
  }

  /** Replaces a waiting payment: the payer spends the same inputs for other outputs. */
  replace(payment: FakeTransaction, outputs: readonly PaidOutput[]): void {
    this.#submit(outputs, payment.spends ?? [])
  }

  /**
   * Removes some of the service's waiting transactions from the node's mempool. Each is kept with the
   * probability `keptShare`.
   */
  forgetWaiting(dice: Dice, keptShare: number): void {
    for (const { hash } of this.#waiting)
      if (!this.#payments.has(hash) && !dice.chance(keptShare)) this.chain.waiting.evict(hash)
  }

  /**
   * Adds a block. It includes each waiting payment with the probability `share`, and all transactions of the
   * service with a sufficient fee.
   */
  mine(dice: Dice, minedAt: Date, share = 1): void {
    const taken = new Map<string, FakeTransaction>()
    for (const transaction of this.#waiting) {
      const isPayment = this.#payments.has(transaction.hash)
      const isTaken = isPayment ? dice.chance(share) : this.#isWorthMining(transaction)
      if (isTaken) for (const one of this.#withAncestors(transaction)) taken.set(one.hash, one)
    }
    this.chain.mine([...taken.values()], minedAt)
    this.deepest.note(this.chain)
  }

  /**
   * Drops the last blocks and mines one more block than it dropped. With the probability `lostShare`, the
   * payer of a dropped payment spends the money elsewhere.
   */
  async reorganise(dice: Dice, depth: number, lostShare: number, minedAt: Date): Promise<number> {
    const most = Math.min(depth, this.chain.head.height - this.firstHeight)
    if (most <= 0) return 0
    for (const transaction of this.chain.rollback(most)) {
      if (!this.#payments.has(transaction.hash) || !dice.chance(lostShare)) continue
      this.replace(transaction, [{ recipient: this.newAddress(dice), amountMinor: 1_000_000n }])
    }
    this.forgetWaiting(dice, 0.8)
    for (let blocks = 0; blocks <= most; blocks += 1) this.mine(dice, minedAt, 0.6)
    return most
  }

  #submit(outputs: readonly PaidOutput[], spends: readonly string[]): void {
    const moves = outputs.map((output) => ({ asset: { type: 'coin' } as const, sender: '', ...output }))
    const payment = this.chain.transaction(moves, { spends })
    this.#payments.set(payment.hash, payment)
    this.chain.waiting.submit(payment)
  }

  /** Records the outputs that a transaction of the service spends. */
  #noteSpends(transaction: FakeTransaction): void {
    const { hash: txHash, moves, spends = [] } = transaction
    this.#own.set(txHash, transaction)
    const isToHotWallet = (move: FakeMove | undefined) =>
      move !== undefined && this.fixed.hotWallets.includes(move.recipient)
    const isChild = spends.length === 1 && moves.length === 1 && moves.every(isToHotWallet)
    const { canReplace } = this.fixed.network.chain
    for (const outpoint of spends) {
      const parent = creatorOf(outpoint)
      const isChange = isToHotWallet(this.#own.get(parent)?.moves[Number(outpoint.slice(parent.length + 1))])
      this.ownSpends.push({
        txHash,
        confirmations: this.deepest.of(parent),
        isChange,
        isChild,
        canReplace,
      })
    }
  }

  get #waiting(): readonly FakeTransaction[] {
    const { waiting } = this.chain
    return waiting.hashes.map((hash) => required(waiting.find(hash), 'a waiting transaction'))
  }

  /** Returns a transaction, preceded by the waiting transactions that must be mined before it. */
  #withAncestors(transaction: FakeTransaction): readonly FakeTransaction[] {
    const { waiting } = this.chain
    const parents = (transaction.spends ?? []).flatMap((outpoint) => {
      const parent = waiting.find(creatorOf(outpoint))
      return parent === undefined ? [] : this.#withAncestors(parent)
    })
    return [...new Set([...parents, transaction])]
  }

  /** Returns whether a transaction pays enough for itself and for its waiting ancestors. */
  #isWorthMining(transaction: FakeTransaction): boolean {
    const offers = this.#withAncestors(transaction).flatMap(({ hash }) => this.sender.offerOf(hash) ?? [])
    const feeMinor = offers.reduce((total, offer) => total + offer.feeMinor, 0n)
    const vbytes = offers.reduce((total, offer) => total + offer.vbytes, 0)
    return feeMinor * 1_000n >= this.#minedRate * BigInt(vbytes)
  }
}
