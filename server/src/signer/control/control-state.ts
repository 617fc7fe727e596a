/**
 * The signer's state that results from its control log: the halts in force, the countersigned history, and
 * the generation of the logs.
 */
import type { CountersignRequest, SignerHalt } from '../../signing/signer-port.ts'
import type { SealHead } from '../../signing/statement.ts'
import type { ControlEntry, NewControlEntry } from './control-log.ts'

export class ControlState {
  /** Causes of the halts in force, by the id of the halt. */
  readonly #halts = new Map<string, string>()
  readonly #lifted = new Set<string>()
  readonly #opened = new Set<string>()
  #databaseId: string | undefined
  /** The last head that was countersigned in any incarnation. */
  #head: SealHead | undefined
  #logGeneration = 1

  apply(entry: NewControlEntry | ControlEntry): void {
    switch (entry.type) {
      case 'halt':
        if (!this.#lifted.has(entry.id)) this.#halts.set(entry.id, entry.cause)
        return
      case 'lift':
        this.#lifted.add(entry.id)
        this.#halts.delete(entry.id)
        return
      case 'opened':
        this.#opened.add(entry.databaseId)
        this.#databaseId = entry.databaseId
        return
      case 'head':
        this.#head = entry.head
        return
      case 'loss':
        this.#logGeneration = entry.logGeneration
        return
    }
  }

  /** The halts in force. */
  get halts(): readonly SignerHalt[] {
    return [...this.#halts].map(([id, cause]) => ({ id, cause }))
  }

  /** Decides whether a halt is or was in force. */
  knows(haltId: string): boolean {
    return this.#halts.has(haltId) || this.#lifted.has(haltId)
  }

  isLifted(haltId: string): boolean {
    return this.#lifted.has(haltId)
  }

  /** Decides whether an incarnation of the database was ever opened. */
  hasOpened(databaseId: string): boolean {
    return this.#opened.has(databaseId)
  }

  /** The current incarnation of the database; undefined if none was opened yet. */
  get databaseId(): string | undefined {
    return this.#databaseId
  }

  /** The head that was countersigned last; undefined if there is none. */
  get head(): SealHead | undefined {
    return this.#head
  }

  get logGeneration(): number {
    return this.#logGeneration
  }
}

export type HeadDecision =
  | { readonly type: 'refused'; readonly detail: string }
  /** This head was countersigned before. */
  | { readonly type: 'known' }
  | { readonly type: 'new'; readonly entries: readonly Unstamped[] }

/** An entry of the control log without its time. */
export type Unstamped = NewControlEntry extends infer Entry
  ? Entry extends NewControlEntry
    ? Omit<Entry, 'at'>
    : never
  : never

type Known = Pick<ControlState, 'databaseId' | 'head' | 'hasOpened'>

/**
 * Decides whether a head of the history may be countersigned: it must follow the head that was countersigned
 * last.
 * @param opensByItself whether an unknown incarnation is opened without an operator's statement.
 */
export function evaluateHead(known: Known, asked: CountersignRequest, opensByItself: boolean): HeadDecision {
  const { previous, ...head } = asked
  const former = known.head
  if (asked.databaseId !== known.databaseId) {
    const mayOpen = known.databaseId === undefined || opensByItself
    if (!mayOpen || known.hasOpened(asked.databaseId)) return refused(unopened(known, asked))
    const reason = known.databaseId === undefined ? 'the first' : 'sandbox'
    const opened = { type: 'opened' as const, databaseId: asked.databaseId, former: former ?? null, reason }
    return { type: 'new', entries: [opened, firstHead(head, former)] }
  }
  if (former?.databaseId !== asked.databaseId) return { type: 'new', entries: [firstHead(head, former)] }
  if (head.sequence < former.sequence)
    return refused(`head ${former.sequence} was countersigned, and head ${head.sequence} is older`)
  if (head.sequence === former.sequence) {
    if (head.hash === former.hash) return { type: 'known' }
    return refused(`seal ${head.sequence} was countersigned with hash ${former.hash}, not ${head.hash}`)
  }
  const goesOn = previous?.sequence === former.sequence && previous.hash === former.hash
  if (!goesOn)
    return refused(`the history no longer contains seal ${former.sequence} with hash ${former.hash}`)
  return { type: 'new', entries: [{ type: 'head', head, lost: null }] }
}

/**
 * Returns the log entry for the first head of an incarnation (era of the database's history). If the database
 * was restored from a copy, the new incarnation may begin before the end of the previous one. The later seals
 * of the previous incarnation are then recorded as lost.
 */
function firstHead(head: SealHead, former: SealHead | undefined): Unstamped {
  const isShorter = former !== undefined && head.sequence < former.sequence
  const lost = isShorter ? { from: head.sequence + 1, to: former.sequence } : null
  return { type: 'head', head, lost }
}

function unopened({ databaseId, head }: Known, asked: CountersignRequest): string {
  const until = head === undefined ? '' : `, countersigned up to seal ${head.sequence}`
  return `the history of incarnation ${asked.databaseId} was not opened: the signer knows ${databaseId}${until}`
}

function refused(detail: string): HeadDecision {
  return { type: 'refused', detail }
}
