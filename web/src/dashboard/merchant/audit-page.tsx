import { ScrollText } from 'lucide-react'
import { Card } from '../../design/card.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { Moment } from '../../design/moment.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { Table } from '../../design/table.tsx'
import { errorText } from '../client.ts'
import { useApi } from '../use-api.ts'
import { actionText, detailText } from './audit-words.ts'
import { useMerchant } from './merchant-area.tsx'

const limit = 20

export function AuditPage({ page, onPage }: { page: number; onPage(page: number): void }) {
  const { id: merchantID, canChange } = useMerchant()
  const { data, error } = useApi(
    'listAudit',
    { merchantID, limit, page },
    { keepsPreviousData: true, isWanted: canChange },
  )
  return (
    <Page
      title="Audit trail"
      description="All changes to this merchant and who made them. Entries cannot be changed."
    >
      {!canChange && <Notice tone="note">Only admins and owners can read the audit trail.</Notice>}
      {error !== null && <Notice tone="bad">{errorText(error)}</Notice>}
      {canChange && (
        <Card isFlush>
          <Table
            label="Audit trail"
            rows={data?.data}
            keyOf={({ id }) => id}
            columns={[
              {
                head: 'Action',
                cell: ({ action, details }) => (
                  <div className="grid min-w-0 gap-0.5">
                    <span className="font-medium" title={action}>
                      {actionText(action)}
                    </span>
                    <span className="line-clamp-2 text-[0.8125rem] text-ink-soft [overflow-wrap:anywhere]">
                      {detailText(details)}
                    </span>
                  </div>
                ),
              },
              {
                head: 'Account',
                cell: ({ account }) => (
                  <span className="block max-w-56 truncate" title={account?.email ?? undefined}>
                    {account?.email ?? account?.id ?? 'API key or server'}
                  </span>
                ),
                isWide: true,
              },
              { head: 'Time', isFigure: true, cell: ({ at }) => <Moment at={at} /> },
            ]}
            paging={data === undefined ? undefined : { page, limit, total: data.total, onPage }}
            empty={
              <EmptyState icon={ScrollText} title="No changes yet">
                Each change of keys, members, webhook, IP restriction and withdrawals is listed here with its
                author.
              </EmptyState>
            }
          />
        </Card>
      )}
    </Page>
  )
}
