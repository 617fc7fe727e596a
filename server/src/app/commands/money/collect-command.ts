import { networks } from '../../../chains/networks.ts'
import { openChain, openSender } from '../../../chains/open-chain.ts'
import { spendCodecs } from '../../../chains/spend-codecs.ts'
import { required } from '../../../core/assert.ts'
import { formatDecimal } from '../../../core/money.ts'
import { orderCollection } from '../../../outgoing/sweeps/order-collection.ts'
import { previewSweeps } from '../../../outgoing/sweeps/preview-sweeps.ts'
import { type AssetPreview, summarize } from '../../../outgoing/sweeps/summarize.ts'
import { sweepPolicies } from '../../../outgoing/sweeps/sweep.ts'
import { openLog } from '../../log.ts'
import { findRunningNode } from '../../running-node.ts'
import { readConfig } from '../../settings/config.ts'
import type { Command, Terminal } from '../command.ts'
import { type Desk, withMethods } from '../operator-desk.ts'
import { readWords } from '../read-words.ts'

const options = { 'dry-run': { type: 'boolean' } } as const

export const collectCommand: Command = {
  usage: '[--dry-run]',
  help: [
    'Payments lie on the addresses they were made to until it is worth moving them. This asks the running Coffer to bring in',
    'everything now that is worth its share of the fee and reaches its merchant’s minCollect, and to try once more what could',
    'not be taken before. Nothing is signed here: whoever holds the role "payouts" does it at its next look.',
    '',
    '  coffer collect --dry-run     what that would be at the present price of gas, by asset; nothing is asked',
    '  coffer collect               asks for it',
    '',
    'An amount is worth moving from the stated break-even on: below it, moving costs more than it brings.',
  ],
  run: async (words, terminal) => {
    const { values } = readWords(words, { options })
    return withMethods(terminal, (desk) =>
      values['dry-run'] ? preview(desk, terminal) : order(desk, terminal),
    )
  },
}

async function order(desk: Desk, terminal: Terminal): Promise<number> {
  // What is paid in coins of the UTXO family is spent from where it lies, and never brought in.
  for (const { name, family } of Object.values(networks)) {
    if (family !== 'evm') continue
    await orderCollection(desk, name)
    terminal.print(`Asked for on ${name}; it is done when payouts next look.`)
  }
  return 0
}

/** More than anybody reads; those with the most come first. */
const addressesMax = 10_000

async function preview({ db, methods }: Desk, terminal: Terminal): Promise<number> {
  const config = readConfig(terminal.environment)
  const log = openLog(config.logLevel)
  const signal = AbortSignal.timeout(30_000)
  const node = { ...(await findRunningNode(config, signal)), log }
  const reader = openChain(node)
  const sender = openSender(node)
  try {
    const chain = { reader, sender, codec: spendCodecs[node.network.family] }
    const parts = { methods, policy: sweepPolicies[config.mode], chainOf: () => chain }
    const wish = { signal, isOrdered: true, addressesMax }
    const found = await previewSweeps(parts, db, node.network.name, wish)
    const coin = required(methods.byTransferred(node.network.name, undefined), 'the coin of a network')
    const assets = found === undefined ? [] : summarize(methods, found)
    if (assets.length === 0) terminal.print(`Nothing lies on deposit addresses of ${node.network.name}.`)
    for (const asset of assets) for (const line of linesOf(asset, coin)) terminal.print(line)
    return 0
  } finally {
    await Promise.all([reader.close(), sender.close()])
  }
}

function linesOf(
  { method, due, left, costMinor, breakEvenMinor }: AssetPreview,
  coin: { readonly symbol: string; readonly decimals: number },
): readonly string[] {
  const amount = (minor: bigint) => `${formatDecimal(minor, method.decimals)} ${method.symbol}`
  const cost = `${formatDecimal(costMinor, coin.decimals)} ${coin.symbol}`
  const breakEven =
    breakEvenMinor === undefined ? 'no price' : `break-even ${amount(breakEvenMinor)} an address`
  return [
    `${method.network} ${method.symbol}: ${amount(due.amountMinor)} from ${due.addresses} addresses in ${due.transactions} transactions, at most ${cost} (${breakEven})`,
    ...(left.addresses === 0
      ? []
      : [
          `  ${amount(left.amountMinor)} on ${left.addresses} addresses stay: below minCollect, of a collection that still collects, or not worth it`,
        ]),
  ]
}
