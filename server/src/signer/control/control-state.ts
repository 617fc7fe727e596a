/** What the control log comes to: which halts stand, which history was countersigned, which life of the log this is. */
import type { CountersignRequest, SignerHalt } from '../../signing/signer-port.ts'
import type { SealHead } from '../../signing/statement.ts'
import type { ControlEntry, NewControlEntry } from './control-log.ts'

export class ControlState {
  /** Causes by id. */
  readonly #halts = new Map<string, string>()
  readonly #lifted = new Set<string>()
  readonly #opened = new Set<string>()
  #incarnation: string | undefined
  /** Of any incarnation. */
  #head: SealHead | undefined
  #logIncarnation = 1

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
        this.#opened.add(entry.incarnation)
        this.#incarnation = entry.incarnation
        return
      case 'head':
        this.#head = entry.head
        return
      case 'loss':
        this.#logIncarnation = entry.logIncarnation
        return
    }
  }

  /** Those that stand. */
  get halts(): readonly SignerHalt[] {
    return [...this.#halts].map(([id, cause]) => ({ id, cause }))
  }

  /** Whether a halt stands, or stood once. */
  knows(haltId: string): boolean {
    return this.#halts.has(haltId) || this.#lifted.has(haltId)
  }

  isLifted(haltId: string): boolean {
    return this.#lifted.has(haltId)
  }

  /** Whether a life of the database was ever opened. */
  hasOpened(incarnation: string): boolean {
    return this.#opened.has(incarnation)
  }

  /** The life that history goes on in; undefined before the first. */
  get incarnation(): string | undefined {
    return this.#incarnation
  }

  /** What was countersigned last. */
  get head(): SealHead | undefined {
    return this.#head
  }

  get logIncarnation(): number {
    return this.#logIncarnation
  }
}

export type HeadJudgement =
  | { readonly type: 'refused'; readonly detail: string }
  /** Countersigned before. */
  | { readonly type: 'known' }
  | { readonly type: 'new'; readonly entries: readonly Unstamped[] }

/** An entry without its time. */
export type Unstamped = NewControlEntry extends infer Entry
  ? Entry extends NewControlEntry
    ? Omit<Entry, 'at'>
    : never
  : never

type Known = Pick<ControlState, 'incarnation' | 'head' | 'hasOpened'>

/** @param opensByItself whether a life that was never heard of is opened without a word of the operator */
export function judgeHead(known: Known, asked: CountersignRequest, opensByItself: boolean): HeadJudgement {
  const { previous, ...head } = asked
  const former = known.head
  if (asked.incarnation !== known.incarnation) {
    const mayOpen = known.incarnation === undefined || opensByItself
    if (!mayOpen || known.hasOpened(asked.incarnation)) return refused(unopened(known, asked))
    const reason = known.incarnation === undefined ? 'the first' : 'sandbox'
    const opened = { type: 'opened' as const, incarnation: asked.incarnation, former: former ?? null, reason }
    return { type: 'new', entries: [opened, firstHead(head, former)] }
  }
  if (former?.incarnation !== asked.incarnation) return { type: 'new', entries: [firstHead(head, former)] }
  if (head.sequence < former.sequence)
    return refused(`head ${former.sequence} was countersigned, and ${head.sequence} is below it`)
  if (head.sequence === former.sequence) {
    if (head.hash === former.hash) return { type: 'known' }
    return refused(`seal ${head.sequence} was countersigned with hash ${former.hash}, not ${head.hash}`)
  }
  const goesOn = previous?.sequence === former.sequence && previous.hash === former.hash
  if (!goesOn)
    return refused(`history does not hold seal ${former.sequence} with hash ${former.hash} any more`)
  return { type: 'new', entries: [{ type: 'head', head, lost: null }] }
}

/** A life that was restored from a copy begins before its former one ended. */
function firstHead(head: SealHead, former: SealHead | undefined): Unstamped {
  const isShorter = former !== undefined && head.sequence < former.sequence
  const lost = isShorter ? { from: head.sequence + 1, to: former.sequence } : null
  return { type: 'head', head, lost }
}

function unopened({ incarnation, head }: Known, asked: CountersignRequest): string {
  const until = head === undefined ? '' : `, countersigned up to seal ${head.sequence}`
  return `the history of incarnation ${asked.incarnation} was not opened: the signer knows ${incarnation}${until}`
}

function refused(detail: string): HeadJudgement {
  return { type: 'refused', detail }
}
