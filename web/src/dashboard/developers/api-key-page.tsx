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
import { api, errorText } from '../client.ts'
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
      description="Your server uses it to create invoices and withdrawals for this merchant only."
    >
      {error !== null && !isAbsent && <Notice tone="bad">{errorText(error)}</Notice>}
      {fresh !== undefined && (
        <Card
          title="New API key"
          description="Copy it now: it is shown only once. Keep it where only your server can read it."
        >
          <Copyable value={fresh} what="API key" isBlock />
          <Notice tone="warn">Anyone who has this key can move this merchant's money.</Notice>
        </Card>
      )}
      <Card isFlush={isAbsent} {...(isAbsent ? {} : { title: 'Current key' })}>
        {key === undefined && error === null && <SkeletonLines />}
        {isAbsent && <NoKey isBusy={generate.isPending} onGenerate={() => generate.mutate(undefined)} />}
        {key !== undefined && !isAbsent && <KeyFacts info={key} onEnding={setEnding} />}
      </Card>
      {ending === 'replace' && (
        <ConfirmDialog
          isOpen
          onOpen={() => setEnding(undefined)}
          title="Replace the key?"
          description="The current key is revoked at once. Your server's requests are rejected until it uses the new key."
          word="replace"
          action="Replace key"
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
      title="No API key"
      action={
        canChange && (
          <Button isBusy={isBusy} onClick={onGenerate}>
            Generate key
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
          <Button variant="secondary" onClick={() => onEnding('replace')}>
            Replace key
          </Button>
          <Button variant="ending" onClick={() => onEnding('revoke')}>
            Revoke key
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
    showsError: true,
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
      description="Requests with this key are rejected from now on. You can generate a new key at any time."
      word="revoke"
      action="Revoke key"
      {...confirmed(revoke)}
    />
  )
}
