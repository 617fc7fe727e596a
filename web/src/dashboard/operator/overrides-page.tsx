import { type LucideIcon, Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { faultText } from '../client.ts'
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
  /** Whose rows are shown; undefined where they are of all. */
  readonly merchantID: string | undefined
  onMerchant(merchantID: string | undefined): void
  /** What the rows are, for screen readers. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  keyOf(row: Row): string
  /** What is said while the defaults hold for all. */
  readonly empty: { readonly icon: LucideIcon; readonly title: string; readonly hint: string }
  readonly setLabel: string
  setDialog(onClose: () => void): ReactNode
  takeBackDialog(row: Row, onClose: () => void): ReactNode
}

/** What stands in place of some defaults, for all merchants or one: each is set and taken back here. */
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
      {error !== null && <Notice tone="bad">{faultText(error)}</Notice>}
      <Card isFlush>
        <Table
          label={props.label}
          rows={data?.data}
          keyOf={props.keyOf}
          columns={[
            ...columns,
            {
              head: 'Change',
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
                : 'Nothing was set for this merchant alone; what holds for all merchants holds for it too.'}
            </EmptyState>
          }
        />
      </Card>
      {isSetting && props.setDialog(() => setSetting(false))}
      {ended !== undefined && props.takeBackDialog(ended, () => setEnded(undefined))}
    </Page>
  )
}
