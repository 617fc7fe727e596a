/**
 * The stories of money in and out, on several kinds of nodes. The same table runs on each of them, for the coin
 * and for a token. At the end it prints what ran where.
 */
import { afterAll, describe, expect, it } from 'vitest'
import { endInvoiceAt } from '../support/chain-flow.ts'
import { collectionRecords, outgoingRecords } from '../support/outgoing/records.ts'
import { balanceOf, depositsOf, invoiceStatusOf } from '../support/shop-readers.ts'
import {
  type StoryAsset,
  type StoryFlow,
  type StoryInvoice,
  useStoryFlow,
} from '../support/stories/story-flow.ts'
import { type StoryNodeKind, storyNodes } from '../support/stories/story-node.ts'

interface Story {
  readonly name: string
  /** Whether money leaves, which needs final blocks. */
  readonly spends?: boolean
  tell(flow: StoryFlow, asset: StoryAsset): Promise<void>
}

const balance = (flow: StoryFlow, invoice: StoryInvoice, { methodId }: StoryAsset) =>
  balanceOf(flow.shop, invoice, methodId)
const status = (flow: StoryFlow, invoice: StoryInvoice) => invoiceStatusOf(flow.shop, invoice)

/** Pays the invoice's amount, or another one, and returns the transaction's hash. */
function pay(flow: StoryFlow, invoice: StoryInvoice, asset: StoryAsset, amountMinor = invoice.amountMinor) {
  return flow.node.dev.pay({ to: invoice.address, amountMinor, contract: asset.contract })
}

/** What an invoice of 10 USD leaves to the merchant, less the fee of 1 % and 0.1 USD. */
const credited = (asset: StoryAsset) => (asset.contract === undefined ? '0.00396' : '9.8')
const half = (amountMinor: bigint) => amountMinor / 2n

/** Opens an invoice, pays it exactly, and follows the chain until the payment is credited and final. */
async function fund(flow: StoryFlow, asset: StoryAsset): Promise<StoryInvoice> {
  const invoice = await flow.openInvoice(asset)
  await pay(flow, invoice, asset)
  await flow.mine(5)
  return invoice
}

const stories: readonly Story[] = [
  {
    name: 'exact',
    tell: async (flow, asset) => {
      const invoice = await flow.openInvoice(asset)
      const txHash = await pay(flow, invoice, asset)
      await flow.mine()
      expect(await status(flow, invoice)).toEqual({ state: 'paid', exceptions: [] })
      expect(await balance(flow, invoice, asset)).toBe('0')
      await flow.mine()
      expect(await balance(flow, invoice, asset)).toBe(credited(asset))
      expect(await depositsOf(flow.shop, invoice)).toMatchObject([
        { txHash, amountMinor: invoice.amountMinor, state: 'confirmed' },
      ])
    },
  },
  {
    name: 'short',
    tell: async (flow, asset) => {
      const invoice = await flow.openInvoice(asset)
      await pay(flow, invoice, asset, half(invoice.amountMinor))
      await flow.mine(2)
      expect(await status(flow, invoice)).toEqual({ state: 'pending', exceptions: ['underpaid'] })
      const { amountMinor } = await flow.shop.addressFor(invoice.invoiceId, asset.methodId)
      expect(amountMinor).toBe(half(invoice.amountMinor))
      await pay(flow, invoice, asset, amountMinor)
      await flow.mine(2)
      expect(await status(flow, invoice)).toEqual({ state: 'paid', exceptions: [] })
    },
  },
  {
    name: 'over',
    tell: async (flow, asset) => {
      const invoice = await flow.openInvoice(asset)
      await pay(flow, invoice, asset, 2n * invoice.amountMinor)
      await flow.mine(2)
      expect(await status(flow, invoice)).toEqual({ state: 'paid', exceptions: ['overpaid'] })
    },
  },
  {
    name: 'late',
    tell: async (flow, asset) => {
      const invoice = await flow.openInvoice(asset)
      await pay(flow, invoice, asset)
      await flow.node.dev.mine()
      const before = new Date((await flow.node.dev.headTime()).getTime() - 1_000)
      await endInvoiceAt(flow, invoice, before)
      await flow.mine(2)
      expect(await status(flow, invoice)).toEqual({ state: 'pending', exceptions: ['underpaid', 'late'] })
      expect(await balance(flow, invoice, asset)).toBe(credited(asset))
    },
  },
  {
    name: 'reorg',
    tell: async (flow, asset) => {
      const invoice = await flow.openInvoice(asset)
      const goBack = await flow.node.dev.remember()
      await pay(flow, invoice, asset)
      await flow.mine(2)
      expect(await balance(flow, invoice, asset)).toBe(credited(asset))
      await goBack()
      await flow.node.dev.payElsewhere()
      await flow.mine(3)
      expect(await balance(flow, invoice, asset)).toBe('0')
      expect(await status(flow, invoice)).toEqual({ state: 'pending', exceptions: [] })
      await pay(flow, invoice, asset)
      await flow.mine(2)
      expect(await balance(flow, invoice, asset)).toBe(credited(asset))
      expect(await status(flow, invoice)).toEqual({ state: 'paid', exceptions: [] })
    },
  },
  {
    name: 'sweep',
    spends: true,
    tell: async (flow, asset) => {
      const { dev } = flow.node
      const { merchantId, address } = await fund(flow, asset)
      const isSwept = async () => {
        const swept = await collectionRecords.all(flow.shop.db, { merchantId }, 'state')
        return swept.length > 0 && swept.every(({ state }) => state === 'completed')
      }
      await (await flow.engine()).playUntil(isSwept)
      // A sweep without delegation leaves what its gas would have cost at most.
      expect(await dev.balanceOf(address, asset.contract)).toBeLessThan(10n ** 14n)
      if (asset.contract !== undefined) expect(await dev.balanceOf(address, asset.contract)).toBe(0n)
    },
  },
  {
    name: 'withdrawal',
    spends: true,
    tell: async (flow, asset) => {
      const { merchantId } = await fund(flow, asset)
      const isCoin = asset.contract === undefined
      const withdrawal = await flow.withdraw(merchantId, asset, isCoin ? '0.002' : '5')
      await (await flow.engine()).playUntil(async () => (await flow.stateOf(withdrawal)) !== 'pending')
      expect(await flow.stateOf(withdrawal)).toBe('completed')
      const receivedMinor = await flow.node.dev.balanceOf(withdrawal.recipient, asset.contract)
      expect(receivedMinor).toBe(isCoin ? 1_980_000_000_000_000n : 4_850_000n)
    },
  },
]

const cells = new Map<string, string>()
const assets = ['coin', 'token'] as const
const cellOf = (kind: StoryNodeKind, story: Story, asset: string) => `${kind.name}/${story.name}/${asset}`

/** Returns the reason why a story is not told on a node; undefined if it is told. */
function reasonToSkip(kind: StoryNodeKind, story: Story): string | undefined {
  if (story.spends === true && !kind.hasFinality) return 'money is spendable only once it is final'
  return undefined
}

for (const kind of storyNodes)
  describe(`money on ${kind.name}`, () => {
    const { obstacle } = kind
    if (obstacle !== undefined) return it.skip(`all stories (${obstacle})`)
    const flow = useStoryFlow(kind.start)
    for (const asset of assets)
      for (const story of stories)
        it(`${story.name}, ${asset}`, async ({ skip }) => {
          const reason = reasonToSkip(kind, story)
          cells.set(cellOf(kind, story, asset), reason ?? 'failed')
          if (reason !== undefined) skip(reason)
          await story.tell(flow, flow.assets[asset])
          cells.set(cellOf(kind, story, asset), 'ran')
        })
    it('the books agree with the chain', () => flow.expectRightBooks())
    if (!kind.hasFinality) it('sends nothing while no block is final', () => expectNothingSent(flow))
  })

/** A node without the tag `finalized` reports no final block, and no depth replaces the report. */
async function expectNothingSent(flow: StoryFlow): Promise<void> {
  const { token } = flow.assets
  const { merchantId } = await fund(flow, token)
  const withdrawal = await flow.withdraw(merchantId, token, '5')
  const engine = await flow.engine()
  for (let blocks = 0; blocks < 5; blocks += 1) {
    await engine.settle()
    await flow.mine()
  }
  expect(await flow.stateOf(withdrawal)).toBe('pending')
  const sent = await outgoingRecords.all(flow.shop.db, {}, 'kind')
  // The contract for sweeps is deployed with the operator's own money.
  expect(sent.map(({ kind }) => kind)).toEqual(['deploy'])
}

afterAll(() => {
  const rows = storyNodes.flatMap((kind) =>
    assets.map((asset) => [
      `${kind.name}, ${asset}`,
      ...stories.map((story) => cells.get(cellOf(kind, story, asset)) ?? kind.obstacle ?? 'not run'),
    ]),
  )
  const table = [['node', ...stories.map(({ name }) => name)], ...rows]
  process.stdout.write(`\n${table.map((row) => row.join(' | ')).join('\n')}\n`)
})
