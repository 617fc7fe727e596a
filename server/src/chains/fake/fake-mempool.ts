import type { SpentOutpoint } from '../port.ts'

/** The fields of a transaction that the mempool uses. */
interface Spender {
  readonly hash: string
  readonly spends?: readonly string[]
}

/**
 * The mempool of a fake chain with outpoints. Like the mempool of a real node, it never holds two
 * transactions that spend the same output.
 */
export class FakeMempool<Transaction extends Spender> {
  readonly #transactions = new Map<string, Transaction>()

  get hashes(): readonly string[] {
    return [...this.#transactions.keys()]
  }

  find(hash: string): Transaction | undefined {
    return this.#transactions.get(hash)
  }

  /** Adds a transaction and removes all others that spend one of the same outpoints. */
  submit(transaction: Transaction): void {
    this.#dropRivalsOf(transaction)
    this.#transactions.set(transaction.hash, transaction)
  }

  /**
   * Puts a transaction of a dropped block back into the mempool. Does nothing if another transaction in the
   * mempool spends one of the same outpoints.
   */
  putBack(transaction: Transaction): void {
    if (!isSpender(transaction)) return
    const spends = new Set(transaction.spends)
    if (this.#all().some((other) => (other.spends ?? []).some((outpoint) => spends.has(outpoint)))) return
    this.#transactions.set(transaction.hash, transaction)
  }

  /**
   * Removes a transaction and its descendants, as a node does when its mempool is full or after a restart.
   */
  evict(hash: string): void {
    this.#transactions.delete(hash)
    for (const other of this.#all()) {
      if ((other.spends ?? []).some((outpoint) => creatorOf(outpoint) === hash)) this.evict(other.hash)
    }
  }

  /**
   * Removes mined transactions from the mempool. Also removes all transactions that conflict with a mined
   * one, because they can never be mined.
   */
  confirm(mined: readonly Transaction[]): void {
    for (const transaction of mined) this.#transactions.delete(transaction.hash)
    for (const transaction of mined) this.#dropRivalsOf(transaction)
  }

  /**
   * Returns the outpoints that a transaction and its ancestors in the mempool spend. Undefined if the
   * transaction is not in the mempool.
   */
  ancestorsOf(hash: string): readonly SpentOutpoint[] | undefined {
    const transaction = this.#transactions.get(hash)
    if (transaction === undefined) return undefined
    return (transaction.spends ?? []).flatMap((outpoint) => [
      { outpoint, txHash: hash },
      ...(this.ancestorsOf(creatorOf(outpoint)) ?? []),
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

/** Decides whether a transaction spends any output. A coinbase spends none and is never in a mempool. */
function isSpender({ spends = [] }: Spender): boolean {
  return spends.length > 0
}

/** Returns the hash of the transaction that created an outpoint. */
export function creatorOf(outpoint: string): string {
  return outpoint.slice(0, outpoint.lastIndexOf(':'))
}
