import type { SpentOutpoint } from '../port.ts'

/** As much of a transaction as a mempool looks at. */
interface Spender {
  readonly hash: string
  readonly spends?: readonly string[]
}

/** What waits for a block of a fake chain with outpoints. Like a node's, it never holds two that spend the same. */
export class FakeMempool<Transaction extends Spender> {
  readonly #transactions = new Map<string, Transaction>()

  get hashes(): readonly string[] {
    return [...this.#transactions.keys()]
  }

  find(hash: string): Transaction | undefined {
    return this.#transactions.get(hash)
  }

  /** Takes a transaction in, in place of those that spend what it spends. */
  submit(transaction: Transaction): void {
    this.#dropRivalsOf(transaction)
    this.#transactions.set(transaction.hash, transaction)
  }

  /** Takes a transaction of a dropped block in, unless another that waits spends the same. */
  putBack(transaction: Transaction): void {
    if (!isSpender(transaction)) return
    const spends = new Set(transaction.spends)
    if (this.#all().some((other) => (other.spends ?? []).some((outpoint) => spends.has(outpoint)))) return
    this.#transactions.set(transaction.hash, transaction)
  }

  /** Forgets a transaction and what builds on it, as a node that is full, or started anew. */
  evict(hash: string): void {
    this.#transactions.delete(hash)
    for (const other of this.#all()) {
      if ((other.spends ?? []).some((outpoint) => makerOf(outpoint) === hash)) this.evict(other.hash)
    }
  }

  /** A block holds these: they wait no longer, and what spends the same can never be mined. */
  confirm(mined: readonly Transaction[]): void {
    for (const transaction of mined) this.#transactions.delete(transaction.hash)
    for (const transaction of mined) this.#dropRivalsOf(transaction)
  }

  /** What a waiting transaction and those it builds on spend; undefined where it does not wait. */
  lineageOf(hash: string): readonly SpentOutpoint[] | undefined {
    const transaction = this.#transactions.get(hash)
    if (transaction === undefined) return undefined
    return (transaction.spends ?? []).flatMap((outpoint) => [
      { outpoint, txHash: hash },
      ...(this.lineageOf(makerOf(outpoint)) ?? []),
    ])
  }

  #all(): readonly Transaction[] {
    return [...this.#transactions.values()]
  }

  #dropRivalsOf({ hash, spends }: Spender): void {
    const spent = new Set(spends)
    for (const other of this.#all()) {
      const isRival = other.hash !== hash && (other.spends ?? []).some((one) => spent.has(one))
      if (isRival) this.evict(other.hash)
    }
  }
}

/** What makes coins, as a coinbase does, spends nothing and never waits. */
function isSpender({ spends = [] }: Spender): boolean {
  return spends.length > 0
}

/** The transaction whose output an outpoint is. */
function makerOf(outpoint: string): string {
  return outpoint.slice(0, outpoint.lastIndexOf(':'))
}
