import { isId, newId } from '../../../core/ids.ts'
import { formatDecimal } from '../../../core/money.ts'
import { attributeMoney } from '../../../outgoing/treasury/attribute-money.ts'
import { listDebts } from '../../../outgoing/treasury/debt-store.ts'
import { orderTreasuryWithdrawal } from '../../../outgoing/treasury/order-treasury-withdrawal.ts'
import { treasuryWithdrawalSources } from '../../../outgoing/treasury/own-money.ts'
import { readTreasury } from '../../../outgoing/treasury/read-treasury.ts'
import { assetFiguresView, debtView, unattributedView } from '../../../outgoing/treasury/view.ts'
import { writeOffDebt } from '../../../outgoing/treasury/write-off-debt.ts'
import { listUnattributed } from '../../../payments/deposits/unattributed/list-store.ts'
import { readColdAddresses } from '../../own-rows/read-own-rows.ts'
import { readConfig } from '../../settings/config.ts'
import { type Command, type Terminal, UsageError } from '../command.ts'
import { type CommandContext, withMethods } from '../operator-context.ts'
import { printable, readTarget, targetOptions } from '../operator-words.ts'
import { readWords } from '../read-words.ts'

const string = { type: 'string' } as const
const options = {
  ...targetOptions,
  transaction: string,
  from: string,
  amount: string,
  reason: string,
  json: { type: 'boolean' },
} as const

export const treasuryCommand: Command = {
  usage:
    '[unattributed | assign | fund | withdraw | debts | write-off]  [--transaction ID] [--merchant ID] [--method N] [--from A] [--amount A] [--reason R] [--json]',
  help: [
    'Prints for each asset the balances of the hot wallets and the deposit addresses, pending amounts, liabilities to',
    'merchants and payers, and the operator’s own money. --json prints the same for programs.',
    '',
    '  coffer treasury unattributed                                deposits whose owner is not known',
    '  coffer treasury assign --transaction ID --merchant ID       credits it to that merchant, less the usual fee',
    '  coffer treasury fund --transaction ID                       books it as the operator’s own: capital',
    '  coffer treasury withdraw --method 1 --from fees --amount 250   to the cold address (COLD_ADDRESS_<NETWORK>)',
    '  coffer treasury debts                                       negative balances of merchants, and since when',
    '  coffer treasury write-off --merchant ID --method 1 --amount 5   writes off what it owes, 5 according to "debts", against capital',
    '',
    'Money whose sender did not pass screening is assigned or funded only with --reason, which is recorded.',
    'Gas is paid from the operator’s own ether only (capital and fees, less network fees): to add some, send it to a hot',
    'wallet, wait for its confirmations, then run "coffer treasury fund". Money that is needed for gas, merchants or another',
    'order cannot be withdrawn. A negative balance is written off completely, unless it has grown beyond --amount. Each',
    'action is recorded. Works while Coffer is running and while it is stopped.',
  ],
  run: async (words, terminal) => {
    const { values, positionals } = readWords(words, { options, positionals: 1 })
    const act = actions[positionals[0] ?? 'figures']
    if (act === undefined)
      throw new UsageError(`expected ${Object.keys(actions).slice(1).join(', ')}, or no action`)
    return withMethods(terminal, (context) => act(context, values, terminal))
  },
}

type Values = {
  readonly [name in Exclude<keyof typeof options, 'json'>]?: string | undefined
} & { readonly json?: boolean | undefined }
type Action = (context: CommandContext, values: Values, terminal: Terminal) => Promise<number>

/**
 * Maximum number of lines that the command prints, because nobody reads more. The API returns all entries in
 * pages.
 */
const listedRows = 1000

const actions: Readonly<Record<string, Action>> = {
  figures,
  unattributed,
  assign: (context, values, terminal) => {
    const { merchantId } = readTarget(context.methods, values)
    if (merchantId === undefined) throw new UsageError('a merchant is required: --merchant ID')
    return attribute(context, values, merchantId, terminal)
  },
  fund: (context, values, terminal) => attribute(context, values, undefined, terminal),
  withdraw: treasuryWithdrawal,
  debts,
  'write-off': writeOff,
}

async function figures(
  { db, methods }: CommandContext,
  { json = false }: Values,
  { print }: Terminal,
): Promise<number> {
  const views = (await readTreasury(db, methods)).map(assetFiguresView)
  if (json) print(JSON.stringify({ assets: views }, undefined, 2))
  else for (const view of views) for (const line of linesOf(view)) print(line)
  return views.every(({ isSolvent }) => isSolvent) ? 0 : 1
}

function linesOf(view: ReturnType<typeof assetFiguresView>): readonly string[] {
  const { symbol, network, liabilities, own, queue } = view
  const line = (what: string, amount: string, remark = '') =>
    `  ${what.padEnd(20)} ${amount.padStart(28)} ${symbol}${remark === '' ? '' : `  ${remark}`}`
  const hotWallets = view.hotWallets.map(({ index, address, balance }) =>
    line(`  hot wallet ${index}`, balance, address),
  )
  return [
    `${symbol} on ${network}${view.isSolvent ? '' : '   NOT SOLVENT: custody does not cover what is owed'}`,
    line('custody', view.custody),
    line('hot wallet', view.hotWallet),
    ...hotWallets,
    line('deposit addresses', view.depositAddresses),
    line('deposits pending', view.pendingDeposits),
    line('leaving', view.leaving),
    line('owed to others', liabilities.total),
    line('  available', liabilities.available),
    line('  held', liabilities.held),
    line('  quarantine', liabilities.quarantine),
    line('  below minimum', liabilities.belowMinimum),
    line('  unattributed', liabilities.unattributed),
    line('negative balances', view.owedByMerchants),
    line('own, free', own.free, `capital ${own.capital}, fees ${own.fees}, network fees ${own.networkFees}`),
    line('forfeited', own.forfeited, `of which ${own.takeable.forfeited} may be withdrawn`),
    line(
      'queued withdrawals',
      queue.amount,
      `${queue.withdrawals} orders, the hot wallets lack ${queue.shortfall}`,
    ),
  ]
}

const reasonWords = {
  'no-owner': 'no owner',
  'wrong-network': 'wrong network',
  'deleted-merchant': 'deleted merchant',
} as const

async function unattributed(
  { db, methods }: CommandContext,
  { json = false }: Values,
  terminal: Terminal,
): Promise<number> {
  const { deposits, total } = await listUnattributed(db, { page: 1, limit: listedRows })
  const views = deposits.map((one) => unattributedView(methods, (_, address) => address, one))
  if (json) terminal.print(JSON.stringify({ data: views, total }, undefined, 2))
  else if (total === 0) terminal.note('No deposit is unattributed.')
  else
    for (const { id, amount, symbol, network, state, createdAt, recipient, amlOk, reason } of views)
      terminal.print(
        `${id}  ${createdAt}  ${amount} ${symbol} on ${network}  ${state}  to ${recipient}  ${reasonWords[reason]}${amlOk ? '' : '  sender did not pass screening'}`,
      )
  return 0
}

async function debts(
  { db, methods }: CommandContext,
  { json = false }: Values,
  terminal: Terminal,
): Promise<number> {
  const { debts: owed, total } = await listDebts(db, { page: 1, limit: listedRows })
  const views = owed.map((one) => debtView(methods, one))
  if (json) terminal.print(JSON.stringify({ data: views, total }, undefined, 2))
  else if (total === 0) terminal.note('No merchant has a negative balance.')
  else
    for (const { merchantID, merchantName, since, amount, symbol, network } of views)
      terminal.print(`${merchantID}  ${since}  ${amount} ${symbol} on ${network}  ${printable(merchantName)}`)
  return 0
}

async function attribute(
  context: CommandContext,
  values: Values,
  merchantId: string | undefined,
  { environment, note }: Terminal,
): Promise<number> {
  const depositId = readId(values.transaction, '--transaction')
  const { feeDefaults } = readConfig(environment)
  const input = { depositId, merchantId, reason: values.reason }
  const { state } = await attributeMoney({ ...context, feeDefaults }, undefined, input)
  const owner = merchantId === undefined ? 'the operator’s own' : `merchant ${merchantId}’s`
  note(state === 'confirmed' ? `Booked as ${owner}.` : `It will be booked as ${owner} once it is confirmed.`)
  return 0
}

async function treasuryWithdrawal(
  context: CommandContext,
  values: Values,
  { environment, note }: Terminal,
): Promise<number> {
  const { paymentMethodId } = readTarget(context.methods, values)
  const source = treasuryWithdrawalSources.find((one) => one === values.from)
  if (paymentMethodId === undefined || source === undefined || values.amount === undefined) {
    throw new UsageError(`--method, --from ${treasuryWithdrawalSources.join('|')} and --amount are required`)
  }
  const coldAddresses = await readColdAddresses(readConfig(environment), context.db)
  const input = { id: newId(), paymentMethodId, source, amount: values.amount }
  const { id } = await orderTreasuryWithdrawal({ ...context, coldAddresses }, undefined, input)
  note(`Treasury withdrawal ${id} is ordered; it is sent as soon as a hot wallet holds the amount.`)
  return 0
}

async function writeOff(context: CommandContext, values: Values, { note }: Terminal): Promise<number> {
  const { merchantId, paymentMethodId } = readTarget(context.methods, values)
  if (merchantId === undefined || paymentMethodId === undefined || values.amount === undefined) {
    throw new UsageError('--merchant ID, --method N and --amount with the negative balance are required')
  }
  const input = { id: newId(), merchantId, paymentMethodId, amount: values.amount }
  const amountMinor = await writeOffDebt(context, undefined, input)
  const method = context.methods.byId(paymentMethodId)
  note(`Written off: ${formatDecimal(amountMinor, method?.decimals ?? 0)} ${method?.symbol ?? ''}.`)
  return 0
}

function readId(text: string | undefined, option: string): string {
  if (text !== undefined && isId(text)) return text.toLowerCase()
  throw new UsageError(`${option} with an id is required`)
}
