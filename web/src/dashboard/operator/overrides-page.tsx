import { type LucideIcon, Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { errorText } from '../client.ts'
import { MerchantFilter, TakeBackButton } from './target.tsx'

export const overridesPerPage = 20

interface OverridesProps<Row> {
  readonly title: string
  readonly description: string
  readonly found: {
    readonly data: { readonly data: readonly Row[]; readonly total: number } | undefined
    readonly error: Error | null
  }
  readonly page: number
  onPage(page: number): void
  /** The merchant whose rows are shown; undefined for all rows. */
  readonly merchantID: string | undefined
  onMerchant(merchantID: string | undefined): void
  /** The name of the table for screen readers. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  keyOf(row: Row): string
  /** The text of the empty table, if nothing overrides the defaults. */
  readonly empty: { readonly icon: LucideIcon; readonly title: string; readonly hint: string }
  readonly setLabel: string
  setDialog(onClose: () => void): ReactNode
  takeBackDialog(row: Row, onClose: () => void): ReactNode
}

/** A page that lists, sets and removes overrides of defaults, for all merchants or for one. */
export function OverridesPage<Row>(props: OverridesProps<Row>) {
  const { found, page, onPage, merchantID, columns, empty } = props
  const { data, error } = found
  const [isSetting, setSetting] = useState(false)
  const [ended, setEnded] = useState<Row>()
  return (
    <Page
      title={props.title}
      description={props.description}
      actions={
        <Button onClick={() => setSetting(true)}>
          <Plus aria-hidden /> {props.setLabel}
        </Button>
      }
    >
      <MerchantFilter
        onMerchant={(id) => {
          props.onMerchant(id)
          onPage(1)
        }}
      />
      {error !== null && <Notice tone="bad">{errorText(error)}</Notice>}
      <Card isFlush>
        <Table
          label={props.label}
          rows={data?.data}
          keyOf={props.keyOf}
          columns={[
            ...columns,
            {
              head: 'Actions',
              isFigure: true,
              cell: (row) => <TakeBackButton onClick={() => setEnded(row)} />,
            },
          ]}
          paging={
            data === undefined ? undefined : { page, limit: overridesPerPage, total: data.total, onPage }
          }
          empty={
            <EmptyState icon={empty.icon} title={empty.title}>
              {merchantID === undefined
                ? empty.hint
                : 'No override for this merchant. The overrides for all merchants apply to it as well.'}
            </EmptyState>
          }
        />
      </Card>
      {isSetting && props.setDialog(() => setSetting(false))}
      {ended !== undefined && props.takeBackDialog(ended, () => setEnded(undefined))}
    </Page>
  )
}
