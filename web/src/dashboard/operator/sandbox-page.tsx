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

/** Plays the customer and the chain, so that every case can be seen without a wallet. */
export function SandboxPage() {
  const merchantID = useLastMerchant()
  return (
    <Page title="Sandbox" description="Be the customer, and the chain. Only a sandbox has this page.">
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
    <Card title="Mine blocks" description="To have a payment confirmed at once.">
      <form
        className="grid grid-cols-[8rem_auto] items-end justify-start gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          mine.mutate(undefined)
        }}
      >
        <TextField
          label="How many"
          type="number"
          min={1}
          max={100}
          value={blocks}
          onValue={setBlocks}
          required
        />
        <Button type="submit" isBusy={mine.isPending}>
          Mine
        </Button>
      </form>
    </Card>
  )
}

function ReorganiseCard() {
  const [depth, setDepth] = useState('1')
  const [isOpen, setOpen] = useState(false)
  const drop = useAction(() => api.reorganiseSandbox({ body: { depth: Number(depth) } }), {
    done: 'The blocks are taken back.',
    showsFault: true,
    onDone: () => setOpen(false),
  })
  return (
    <Card title="Take blocks back" description="A reorganisation: what was in them is undone.">
      <form
        className="grid grid-cols-[8rem_auto] items-end justify-start gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          setOpen(true)
        }}
      >
        <TextField
          label="How many"
          type="number"
          min={1}
          max={100}
          value={depth}
          onValue={setDepth}
          required
        />
        <Button type="submit" look="ending">
          Take back
        </Button>
      </form>
      <ConfirmDialog
        isOpen={isOpen}
        onOpen={setOpen}
        title="Take the last blocks back?"
        description="Payments in them go back to pending; credited money is taken back."
        word="reorg"
        action="Take them back"
        {...confirmed(drop)}
      />
    </Card>
  )
}
