import { CircleAlert } from 'lucide-react'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { Page } from '../../design/page.tsx'

/** Instead of a page that broke, or whose part is no longer there because Coffer was upgraded meanwhile. */
export function FaultPage() {
  return (
    <Page title="This page did not open">
      <Card isFlush>
        <EmptyState
          icon={CircleAlert}
          title="Something went wrong"
          action={<Button onClick={() => location.reload()}>Load it again</Button>}
        >
          Nothing you had saved is lost. If it happens again, tell whoever runs this Coffer.
        </EmptyState>
      </Card>
    </Page>
  )
}
