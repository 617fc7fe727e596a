import type { EvmNetwork } from '../../../chains/evm/evm-networks.ts'
import { allEvmNetworks } from '../../../chains/networks.ts'
import { type ChainNodes, openChain, openSender } from '../../../chains/open-chain.ts'
import { spendCodecOf } from '../../../chains/spend-codecs.ts'
import { required } from '../../../core/assert.ts'
import { formatDecimal } from '../../../core/money.ts'
import { orderSweep } from '../../../outgoing/sweeps/order-sweep.ts'
import { previewSweeps } from '../../../outgoing/sweeps/preview-sweeps.ts'
import { type AssetPreview, summarize } from '../../../outgoing/sweeps/summarize.ts'
import { type SweepPolicy, sweepPolicies } from '../../../outgoing/sweeps/sweep.ts'
import { openLog } from '../../log.ts'
import { findRunningNodes } from '../../open-evm-nodes.ts'
import { readOwnNodes } from '../../own-rows/read-own-rows.ts'
import { readConfig } from '../../settings/config.ts'
import type { Command, Terminal } from '../command.ts'
import { type CommandContext, withMethods } from '../operator-context.ts'
import { readWords } from '../read-words.ts'

const options = { 'dry-run': { type: 'boolean' } } as const

export const sweepCommand: Command = {
  usage: '[--dry-run]',
  help: [
    'Deposits stay on their addresses until it is worth moving them. This asks the running Coffer to sweep now all deposits',
    'that are worth their share of the fee and reach their merchant’s minCollect, and to retry those that could not be swept',
    'before. Nothing is signed here: the process with the role "payouts" does it at its next poll.',
    '',
    '  coffer sweep --dry-run     shows for each asset what would be swept at the current gas price; requests nothing',
    '  coffer sweep               requests the sweep',
    '',
    'An amount is worth moving if it reaches the break-even that is shown: moving less costs more than it is worth.',
  ],
  run: async (words, terminal) => {
    const { values } = readWords(words, { options })
    return withMethods(terminal, (context) =>
      values['dry-run'] ? preview(context, terminal) : order(context, terminal),
    )
  },
}

async function order(context: CommandContext, terminal: Terminal): Promise<number> {
  // On UTXO networks deposits are spent directly from their addresses and never swept.
  const followed = new Set(context.methods.followed.map(({ network }) => network))
  for (const { name } of allEvmNetworks()) {
    if (!followed.has(name)) continue
    await orderSweep(context, name)
    terminal.print(`Sweep requested on ${name}; it starts at the next poll of the role payouts.`)
  }
  return 0
}

/**
 * Maximum number of addresses that the command prints, because nobody reads more. The addresses with the
 * largest amounts come first.
 */
const addressesMax = 10_000

async function preview(context: CommandContext, terminal: Terminal): Promise<number> {
  const config = readConfig(terminal.environment)
  const log = openLog(config.logLevel)
  const signal = AbortSignal.timeout(30_000)
  const policy = sweepPolicies[config.mode]
  for (const node of [
    ...(await findRunningNodes(config, signal)),
    ...(await readOwnNodes(config, context.db)),
  ])
    for (const line of await previewOn(context, { ...node, log }, policy, signal)) terminal.print(line)
  return 0
}

async function previewOn(
  { db, methods }: CommandContext,
  node: ChainNodes<EvmNetwork>,
  policy: SweepPolicy,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const reader = openChain(node)
  const sender = openSender(node)
  try {
    const chain = { reader, sender, codec: spendCodecOf(node.network) }
    const parts = { methods, policy, chainOf: () => chain }
    const collectOptions = { signal, isOrdered: true, addressesMax }
    const found = await previewSweeps(parts, db, node.network.name, collectOptions)
    const coin = required(methods.byTransferred(node.network.name, undefined), 'the coin of a network')
    const assets = found === undefined ? [] : summarize(methods, found)
    if (assets.length === 0) return [`The deposit addresses of ${node.network.name} hold nothing.`]
    return assets.flatMap((asset) => linesOf(asset, coin))
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
          `  ${amount(left.amountMinor)} on ${left.addresses} addresses stay: below minCollect, of an invoice that is still collecting, or not worth the fee`,
        ]),
  ]
}
