import { Link } from '@tanstack/react-router'
import type { ReplyOf } from 'coffer-sdk'
import { duration } from '../../design/format-duration.ts'
import { Notice } from '../../design/notice.tsx'
import { useApi } from '../use-api.ts'
import { haltWords } from './outgoing-words.ts'

/** Shows whether outgoing transactions are halted, and when the books were last reconciled. */
export function OutgoingTransactionState() {
  const { data: state } = useApi('getOutgoingState', {}, { everyMs: 5_000 })
  if (state === undefined) return null
  return (
    <div className="grid gap-3">
      {state.halts.length > 0 && (
        <Notice tone="bad" title="Outgoing transactions are halted">
          {state.halts.map(({ cause }) => `${haltWords[cause].title}. `)}
          <Link to="/operator/outgoing" className="font-medium underline">
            View causes and next steps
          </Link>
        </Notice>
      )}
      <BooksProof state={state} />
    </div>
  )
}

export function BooksProof({ state }: { state: ReplyOf<'getOutgoingState'> }) {
  const { booksCheckedSecondsAgo: checked, isBooksCheckOverdue, halts } = state
  const areBroken = halts.some(({ cause }) => cause === 'books')
  if (areBroken) return null
  return (
    <Notice tone={isBooksCheckOverdue ? 'warn' : 'good'}>
      {checked === null
        ? 'The books have not been reconciled yet.'
        : `Books reconciled ${duration(checked)} ago: custody covered all liabilities.`}
      {isBooksCheckOverdue && ' Outgoing transactions wait for the next reconciliation.'}
    </Notice>
  )
}
