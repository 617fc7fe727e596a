import { useState } from 'react'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { ConfirmDialog } from '../../design/dialog.tsx'
import { TextField } from '../../design/field.tsx'
import { Page } from '../../design/page.tsx'
import { api } from '../client.ts'
import { PayCard } from '../sandbox/pay-card.tsx'
import { useLastMerchant } from '../shell/use-last-merchant.ts'
import { confirmed, useAction } from '../use-api.ts'

/** Simulates the customer and the chain, so that every case can be tested without a wallet. */
export function SandboxPage() {
  const merchantID = useLastMerchant()
  return (
    <Page title="Sandbox" description="Simulate customers and the chain. This page exists only in a sandbox.">
      <PayCard merchantID={merchantID} paysAny />
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <MineCard />
        <ReorganiseCard />
      </div>
    </Page>
  )
}

function MineCard() {
  const [blocks, setBlocks] = useState('2')
  const mine = useAction(() => api.mineInSandbox({ body: { blocks: Number(blocks) } }), {
    done: 'The blocks are mined.',
  })
  return (
    <Card title="Mine blocks" description="Confirms pending payments at once.">
      <form
        className="grid grid-cols-[8rem_auto] items-end justify-start gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          mine.mutate(undefined)
        }}
      >
        <TextField
          label="Blocks"
          type="number"
          min={1}
          max={100}
          value={blocks}
          onValue={setBlocks}
          required
        />
        <Button type="submit" isBusy={mine.isPending}>
          Mine blocks
        </Button>
      </form>
    </Card>
  )
}

function ReorganiseCard() {
  const [depth, setDepth] = useState('1')
  const [isOpen, setOpen] = useState(false)
  const drop = useAction(() => api.reorganiseSandbox({ body: { depth: Number(depth) } }), {
    done: 'The blocks are removed.',
    showsError: true,
    onDone: () => setOpen(false),
  })
  return (
    <Card title="Reorganisation" description="Removes the last blocks and reverses their transactions.">
      <form
        className="grid grid-cols-[8rem_auto] items-end justify-start gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          setOpen(true)
        }}
      >
        <TextField label="Blocks" type="number" min={1} max={100} value={depth} onValue={setDepth} required />
        <Button type="submit" variant="ending">
          Remove blocks
        </Button>
      </form>
      <ConfirmDialog
        isOpen={isOpen}
        onOpen={setOpen}
        title="Remove the last blocks?"
        description="Payments in them become pending again, and their credits are reversed."
        word="reorg"
        action="Remove blocks"
        {...confirmed(drop)}
      />
    </Card>
  )
}
