import { expect, it } from 'vitest'
import { type PayoutMove, type PayoutPurpose, tellPurposes } from '../../src/outgoing/engine/purpose.ts'
import type { Tx } from '../../src/platform/db/transaction.ts'
import type { IntentKind } from '../../src/signing/intent.ts'

const tx = {} as Tx

it('tells each purpose of the moves of its own kinds, in their order', async () => {
  const heard: [string, readonly PayoutMove[]][] = []
  const purpose = (name: string, kinds: readonly IntentKind[]): PayoutPurpose => ({
    kinds,
    propose: async () => [],
    moved: async (_, moves) => void heard.push([name, moves]),
  })
  const deploy = refused({ kind: 'deploy' })
  const topUp = refused({
    kind: 'top_up',
    deposit: { type: 'deposit', branch: 1, index: 2 },
    amountMinor: 3n,
  })
  const purposes = [
    purpose('collections', ['sweep', 'top_up', 'deploy']),
    purpose('withdrawals', ['withdrawal']),
  ]
  await tellPurposes(purposes, tx, [topUp, deploy])
  expect(heard).toEqual([['collections', [topUp, deploy]]])
})

function refused(intent: Extract<PayoutMove, { to: 'refused' }>['proposal']['intent']): PayoutMove {
  const proposal = {
    id: '0197a1f1-1111-7111-8111-111111111111',
    network: 'ethereum',
    intent,
    spends: undefined,
  }
  return { proposal, to: 'refused', reason: 'it would fail' }
}
