import { CofferError, type ReplyOf } from 'coffer-sdk'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../design/button.tsx'
import { Card, Fact, Facts } from '../../design/card.tsx'
import { Copyable } from '../../design/copyable.tsx'
import { ConfirmDialog } from '../../design/dialog.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { Moment } from '../../design/moment.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { SkeletonLines } from '../../design/skeleton.tsx'
import { api, faultText } from '../client.ts'
import { useMerchant } from '../merchant/merchant-area.tsx'
import { confirmed, useAction, useApi } from '../use-api.ts'

export function ApiKeyPage() {
  const { id: merchantID } = useMerchant()
  const { data: key, error } = useApi('getKeyInfo', { merchantID })
  const [fresh, setFresh] = useState<string>()
  const [ending, setEnding] = useState<'replace' | 'revoke'>()
  const isAbsent = error instanceof CofferError && error.status === 404
  const generate = useAction(() => api.generateKey({ merchantID }), {
    onDone: ({ apiKey }) => {
      setFresh(apiKey)
      setEnding(undefined)
    },
  })
  return (
    <Page
      title="API key"
      description="With it your server makes invoices and withdrawals for this merchant, and for no other."
    >
      {error !== null && !isAbsent && <Notice tone="bad">{faultText(error)}</Notice>}
      {fresh !== undefined && (
        <Card
          title="Your new key"
          description="It is shown this once. Keep it where only your server reads it."
        >
          <Copyable value={fresh} what="API key" isBlock />
          <Notice tone="warn">Whoever has it can move this merchant's money.</Notice>
        </Card>
      )}
      <Card isFlush={isAbsent} {...(isAbsent ? {} : { title: 'The key in use' })}>
        {key === undefined && error === null && <SkeletonLines />}
        {isAbsent && <NoKey isBusy={generate.isPending} onGenerate={() => generate.mutate(undefined)} />}
        {key !== undefined && !isAbsent && <KeyFacts info={key} onEnding={setEnding} />}
      </Card>
      {ending === 'replace' && (
        <ConfirmDialog
          isOpen
          onOpen={() => setEnding(undefined)}
          title="Replace the key?"
          description="The one in use ends at once: your server is refused until it has the new one."
          word="replace"
          action="Replace the key"
          isBusy={generate.isPending}
          onConfirm={() => generate.mutate(undefined)}
        />
      )}
      {ending === 'revoke' && (
        <RevokeDialog onClose={() => setEnding(undefined)} onDone={() => setFresh(undefined)} />
      )}
    </Page>
  )
}

function NoKey({ isBusy, onGenerate }: { isBusy: boolean; onGenerate(): void }) {
  const { canChange } = useMerchant()
  return (
    <EmptyState
      icon={KeyRound}
      title="There is no key"
      action={
        canChange && (
          <Button isBusy={isBusy} onClick={onGenerate}>
            Generate a key
          </Button>
        )
      }
    >
      Your server sends it as <code className="font-mono">X-Api-Key</code>. A merchant has one key at a time.
    </EmptyState>
  )
}

interface KeyFactsProps {
  readonly info: ReplyOf<'getKeyInfo'>
  onEnding(ending: 'replace' | 'revoke'): void
}

function KeyFacts({ info, onEnding }: KeyFactsProps) {
  const { canChange } = useMerchant()
  return (
    <>
      <Facts>
        <Fact name="Generated">
          <Moment at={info.createdAt} />
        </Fact>
        <Fact name="Last used">{info.lastUsedAt === null ? 'never' : <Moment at={info.lastUsedAt} />}</Fact>
      </Facts>
      {canChange && (
        <div className="flex flex-wrap gap-2">
          <Button look="secondary" onClick={() => onEnding('replace')}>
            Replace it
          </Button>
          <Button look="ending" onClick={() => onEnding('revoke')}>
            Revoke it
          </Button>
        </div>
      )}
    </>
  )
}

function RevokeDialog({ onClose, onDone }: { onClose(): void; onDone(): void }) {
  const { id: merchantID } = useMerchant()
  const revoke = useAction(() => api.revokeKey({ merchantID }), {
    done: 'The key is revoked.',
    showsFault: true,
    onDone: () => {
      onDone()
      onClose()
    },
  })
  return (
    <ConfirmDialog
      isOpen
      onOpen={onClose}
      title="Revoke the key?"
      description="Every request with it is refused from now on. A new one can be made at any time."
      word="revoke"
      action="Revoke the key"
      {...confirmed(revoke)}
    />
  )
}
