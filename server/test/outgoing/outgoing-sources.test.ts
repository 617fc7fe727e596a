import { expect, it } from 'vitest'
import {
  notifySources,
  type OutgoingMove,
  type OutgoingSource,
} from '../../src/outgoing/engine/outgoing-source.ts'
import type { Tx } from '../../src/platform/db/transaction.ts'
import type { IntentKind } from '../../src/signing/intent.ts'

const tx = {} as Tx

it('notifies each source of the state changes of its own kinds, in their order', async () => {
  const heard: [string, readonly OutgoingMove[]][] = []
  const outgoingSource = (name: string, kinds: readonly IntentKind[]): OutgoingSource => ({
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
  const outgoingSources = [
    outgoingSource('sweeps', ['sweep', 'top_up', 'deploy']),
    outgoingSource('withdrawals', ['withdrawal']),
  ]
  await notifySources(outgoingSources, tx, [topUp, deploy])
  expect(heard).toEqual([['sweeps', [topUp, deploy]]])
})

function refused(intent: Extract<OutgoingMove, { to: 'refused' }>['proposal']['intent']): OutgoingMove {
  const proposal = {
    id: '0197a1f1-1111-7111-8111-111111111111',
    network: 'ethereum',
    intent,
    spends: undefined,
  }
  return { proposal, to: 'refused', reason: 'it would fail' }
}
