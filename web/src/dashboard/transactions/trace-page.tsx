import { CofferError, type components } from 'coffer-sdk'
import { Check, CircleSlash, Route } from 'lucide-react'
import { type FormEvent, useEffect, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { Copyable } from '../../design/copyable.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { TextField } from '../../design/field.tsx'
import { Moment } from '../../design/moment.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { SkeletonLines } from '../../design/skeleton.tsx'
import { errorText } from '../client.ts'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { NetworkName } from '../methods.tsx'
import { useApi } from '../use-api.ts'

export interface TraceSearch {
  readonly hash?: string
}

interface TraceProps {
  readonly search: TraceSearch
  onSearch(search: TraceSearch): void
}

export function TracePage({ search: { hash }, onSearch }: TraceProps) {
  const { id: merchantID } = useMerchant()
  const [typed, setTyped] = useState(hash ?? '')
  useEffect(() => setTyped(hash ?? ''), [hash])
  const { data, error, isFetching } = useApi(
    'getTrace',
    { merchantID, txHash: hash ?? '' },
    { isWanted: hash !== undefined },
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSearch({ hash: typed.trim() })
  }
  return (
    <Page
      title="Trace a payment"
      description="If a customer has paid but the payment is not listed, its transaction hash shows how far it got."
    >
      <Card>
        <form className="grid items-end gap-3 sm:grid-cols-[1fr_auto]" onSubmit={submit}>
          <TextField
            label="Transaction hash"
            value={typed}
            onValue={setTyped}
            className="font-mono"
            placeholder="0x…"
            spellCheck={false}
            autoComplete="off"
            required
          />
          <Button type="submit" isBusy={isFetching}>
            Trace
          </Button>
        </form>
      </Card>
      {hash === undefined && (
        <Card isFlush>
          <EmptyState icon={Route} title="No transaction traced yet">
            A trace shows step by step whether a node knows the transaction, its block, its recipient, and
            whether it was credited. If it was not, the trace shows the rule that stopped it.
          </EmptyState>
        </Card>
      )}
      {error !== null && (
        <Notice tone="bad">
          {error instanceof CofferError && error.status === 404
            ? 'This is not a transaction hash. A hash has 64 characters (0 to 9 and a to f), usually after 0x.'
            : errorText(error)}
        </Notice>
      )}
      {hash !== undefined && data === undefined && error === null && (
        <Card>
          <SkeletonLines count={6} />
        </Card>
      )}
      {data !== undefined && <TraceCard trace={data} />}
    </Page>
  )
}

function TraceCard({ trace }: { trace: components['schemas']['Trace'] }) {
  const isCredited = trace.verdict.code === 'credited'
  return (
    <Card
      title={
        <>
          On <NetworkName network={trace.network} />
        </>
      }
      description={<Copyable value={trace.txHash} what="hash" isShortened />}
    >
      <Notice tone={isCredited ? 'good' : 'warn'} title={trace.verdict.code.replaceAll('-', ' ')}>
        {trace.verdict.detail}
      </Notice>
      <ol className="grid gap-4">
        {trace.steps.map(({ step, ok, detail, at }) => (
          <li key={step} className="grid grid-cols-[1.5rem_minmax(0,1fr)] gap-x-3">
            <span
              className={`mt-0.5 grid size-5 place-items-center rounded-full ${ok ? 'bg-good-soft text-good' : 'bg-warn-soft text-warn'}`}
            >
              {ok ? (
                <Check aria-label="done" className="size-3" />
              ) : (
                <CircleSlash aria-label="not done" className="size-3" />
              )}
            </span>
            <div className="grid gap-0.5">
              <p className="font-medium first-letter:uppercase">{step}</p>
              <p className="text-ink-soft [overflow-wrap:anywhere]">{detail}</p>
              {at !== null && (
                <p className="text-[0.8125rem] text-ink-faint">
                  <Moment at={at} />
                </p>
              )}
            </div>
          </li>
        ))}
      </ol>
    </Card>
  )
}
