import { CircleAlert } from 'lucide-react'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { Page } from '../../design/page.tsx'

/**
 * Shown when a page throws, or when the script of a page no longer exists because Coffer was upgraded
 * meanwhile.
 */
export function ErrorPage() {
  return (
    <Page title="Page error">
      <Card isFlush>
        <EmptyState
          icon={CircleAlert}
          title="Something went wrong"
          action={<Button onClick={() => location.reload()}>Reload page</Button>}
        >
          Saved data is not lost. If this happens again, contact the operator of this server.
        </EmptyState>
      </Card>
    </Page>
  )
}
