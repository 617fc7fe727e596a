import { Link } from '@tanstack/react-router'
import type { ReplyOf } from 'coffer-sdk'
import { duration } from '../../design/format-duration.ts'
import { Notice } from '../../design/notice.tsx'
import { useApi } from '../use-api.ts'
import { haltWords } from './payout-words.ts'

/** Says whether payouts are halted, and when the books were last proven. */
export function PayoutState() {
  const { data: state } = useApi('getPayoutState', {}, { everyMs: 5_000 })
  if (state === undefined) return null
  return (
    <div className="grid gap-3">
      {state.halts.length > 0 && (
        <Notice tone="bad" title="Payouts are halted">
          {state.halts.map(({ cause }) => `${haltWords[cause].title}. `)}
          <Link to="/operator/payouts" className="font-medium underline">
            What it means, and what to do
          </Link>
        </Notice>
      )}
      <BooksProof state={state} />
    </div>
  )
}

export function BooksProof({ state }: { state: ReplyOf<'getPayoutState'> }) {
  const { booksCheckedSecondsAgo: checked, isBooksCheckOverdue, halts } = state
  const areBroken = halts.some(({ cause }) => cause === 'books')
  if (areBroken) return null
  return (
    <Notice tone={isBooksCheckOverdue ? 'warn' : 'good'}>
      {checked === null
        ? 'The books were not proven yet.'
        : `The books were proven ${duration(checked)} ago: what was held covered what was owed.`}
      {isBooksCheckOverdue && ' Payouts wait for the next proof.'}
    </Notice>
  )
}
