import { Moment } from '../../design/moment.tsx'
import { Notice } from '../../design/notice.tsx'
import { useApi } from '../use-api.ts'

/** Says whether anything keeps payouts back, and when the books were last proven. */
export function PayoutState() {
  const { data } = useApi('getPayoutState', {}, { everyMs: 5_000 })
  if (data === undefined) return null
  const { halts, booksCheckedSecondsAgo: checked, isBooksCheckOverdue } = data
  return (
    <div className="grid gap-3">
      {halts.map(({ cause, detail, since }) => (
        <Notice
          key={`${cause} ${since}`}
          tone="bad"
          title={`Payouts are halted: ${cause.replaceAll('-', ' ')}`}
        >
          {detail} (since <Moment at={since} />)
        </Notice>
      ))}
      <Notice tone={isBooksCheckOverdue ? 'warn' : 'good'}>
        {checked === null
          ? 'The books were not proven yet.'
          : `The books were proven ${Math.round(checked)} s ago: what is held covers what is owed.`}
        {isBooksCheckOverdue && ' Payouts wait for the next proof.'}
      </Notice>
    </div>
  )
}
